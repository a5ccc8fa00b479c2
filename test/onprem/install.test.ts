import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { kill } from 'node:process'
import { rootCertificates } from 'node:tls'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { caFile, startSecureGitServer } from '../fixtures/git-hosts.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { prepareDir, runServer, startServer } from '../fixtures/server-process.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { page, tablesIn, testInstall, until } from '../fixtures/test-install.ts'

let git: GitServer

beforeAll(async () => {
  git = await startGitServer()
})
afterAll(() => git.close())

const files = { 'README.md': page('Guide', 'The lever turns.') }

test('a second server on the same data directory refuses to start, with one line, and the first goes on', async () => {
  const prepared = prepareDir(git.url)
  const first = await startServer(prepared)
  const second = await runServer({ PORT: '0', DATA_DIR: prepared.dataDir })
  expect(second).toEqual({
    stderr: `carrel: Another Carrel server already runs on DATA_DIR ${prepared.dataDir}; stop it or choose another DATA_DIR.\n`,
    code: 1,
  })
  expect((await first.call('GET', '/api/health')).status).toBe(200)
})

test('a port that is taken is named in one line, and the process ends', async () => {
  const holder = createServer()
  onTestFinished(() => void holder.close())
  await new Promise<void>((listening) => holder.listen(0, '127.0.0.1', listening))
  const address = holder.address()
  const port = String(address !== null && typeof address === 'object' ? address.port : '')
  expect(await runServer({ PORT: port, DATA_DIR: tempDir() })).toEqual({
    stderr: `carrel: Port ${port} on 127.0.0.1 is taken by another program; set PORT to a free one.\n`,
    code: 1,
  })
})

test('a data directory that cannot be used is named in one line, and the process ends', async () => {
  const file = join(tempDir(), 'file')
  writeFileSync(file, '')
  for (const [dataDir, why] of [
    [join(file, 'data'), 'a file is in its way'],
    ['/proc/carrel', 'its parent folder does not exist and cannot be made'],
  ] as const) {
    const { stderr, code } = await runServer({ PORT: '0', DATA_DIR: dataDir })
    expect([code, stderr.split('\n').length]).toEqual([1, 2])
    expect(stderr).toContain(`carrel: DATA_DIR ${dataDir} cannot be used: `)
    expect(stderr).toContain(why)
  }
})

test('stores that cannot be opened are tried again until they can, and the log says so once', async () => {
  let failures = 3
  const openSnippets = (folder: string) => {
    const snippets = lanceSnippets(folder)
    const generations = async () => {
      if (failures-- > 0) throw new Error('not mounted yet')
      return snippets.generations()
    }
    return { ...snippets, generations }
  }
  const install = await testInstall({ openSnippets, limits: { reopenMs: 20 } })
  onTestFinished(() => install.close())
  expect((await install.call('GET', '/api/ready')).status).toBe(503)
  await until(async () => (await install.call('GET', '/api/ready')).status === 200)
  expect(install.troubles.map(({ message }) => message)).toEqual(['the stores cannot be opened yet'])
  await install.git.create('late/stores', { files })
  expect((await install.parse('late/stores')).state).toBe('done')
})

test.each(['snippets', 'carrel.db'])('a server whose %s is gone is not ready, until it is back', async (name) => {
  const install = await testInstall()
  onTestFinished(() => install.close())
  const ready = async () => (await install.call('GET', '/api/ready')).status
  await until(async () => (await ready()) === 200)
  const path = join(install.dataDir, name)
  renameSync(path, `${path}.away`)
  await until(async () => (await ready()) === 503, 5)
  renameSync(`${path}.away`, path)
  await until(async () => (await ready()) === 200, 5)
})

test('a server that is asked to end gives its running job back, ends without error, and the next one does the job', async () => {
  await git.create('stop/running', { files })
  git.misbehave('stop/running', { kind: 'stall', at: 'pack' })
  const prepared = prepareDir(git.url)
  const first = await startServer(prepared)
  const id = Number((await first.call('POST', '/api/parse', { repoUrl: `${git.url}/stop/running` })).body.queueId)
  await until(async () => (await first.job(id)).state === 'parsing')
  expect(await first.end()).toBe(0)

  git.misbehave('stop/running')
  const second = await startServer(prepared)
  await until(async () => (await second.job(id)).finishedAt)
  const job = await second.job(id)
  expect([job.state, job.log.filter(({ line }) => line === 'Run 1.').length]).toEqual(['done', 2])
})

test('what a killed run left behind is gone after the start, and a parse asked for at once is not disturbed by that', async () => {
  await git.create('left/behind', { files })
  const prepared = prepareDir(git.url)
  const clone = join(prepared.dataDir, 'clones', '7', 'tree')
  mkdirSync(clone, { recursive: true })
  for (let n = 0; n < 3000; n++) writeFileSync(join(clone, `${n}.md`), '')
  mkdirSync(join(prepared.dataDir, 'snippets', 'g7-0123456789ab.lance', 'data'), { recursive: true })
  const server = await startServer(prepared)
  const id = Number((await server.call('POST', '/api/parse', { repoUrl: `${git.url}/left/behind` })).body.queueId)
  await until(async () => (await server.job(id)).finishedAt)
  expect((await server.job(id)).state).toBe('done')
  expect(await tablesIn(prepared.dataDir)).toEqual([
    expect.stringMatching(/^g1-\w+\.lance$/),
    expect.stringMatching(/^g1-\w+\.statistics\.lance$/),
  ])
})

test.runIf(existsSync('/proc/self/comm'))(
  'a git process that outlived its killed server ends at the next start, and its clone goes',
  async () => {
    await git.create('killed/checkout', { files })
    const bin = tempDir()
    const realGit = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    const writesForEver = `#!/bin/sh
[ "$1" = checkout-index ] || exec ${realGit} "$@"
echo $$ > ${bin}/pid
while :; do n=$((n+1)); mkdir $n; : > $n/file; done`
    writeFileSync(join(bin, 'git'), writesForEver)
    chmodSync(join(bin, 'git'), 0o755)
    const prepared = prepareDir(git.url)
    const first = await startServer(prepared, { PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}` })
    const id = Number((await first.call('POST', '/api/parse', { repoUrl: `${git.url}/killed/checkout` })).body.queueId)
    await until(() => existsSync(join(bin, 'pid')) && readFileSync(join(bin, 'pid'), 'utf8').endsWith('\n'))
    const orphan = Number(readFileSync(join(bin, 'pid'), 'utf8'))
    onTestFinished(() => void (isRunning(orphan) && kill(orphan, 'SIGKILL')))
    await first.kill()
    expect(isRunning(orphan)).toBe(true)

    const second = await startServer(prepared)
    await until(async () => (await second.job(id)).finishedAt)
    expect((await second.job(id)).state).toBe('done')
    await until(() => readdirSync(join(prepared.dataDir, 'clones')).length === 0, 10)
    expect(isRunning(orphan)).toBe(false)
  },
)

test.each([
  ['a private authority that NODE_EXTRA_CA_CERTS names', () => ({ NODE_EXTRA_CA_CERTS: caFile })],
  [
    'an authority that the system knows, beside a private one',
    () => {
      const other = join(tempDir(), 'other.pem')
      writeFileSync(other, String(rootCertificates[0]))
      return { SSL_CERT_FILE: caFile, NODE_EXTRA_CA_CERTS: other }
    },
  ],
])('a host whose certificate is of %s is asked and fetched from', async (_, env) => {
  const secure = await startSecureGitServer()
  onTestFinished(() => secure.close())
  await secure.create('secure/host', { files })
  const server = await startServer(prepareDir(secure.url), env())
  const id = Number((await server.call('POST', '/api/parse', { repoUrl: `${secure.url}/secure/host` })).body.queueId)
  await until(async () => (await server.job(id)).finishedAt)
  expect(await server.job(id)).toMatchObject({ state: 'done', error: null })
})

test('a clone of 30,000 files is removed without holding up an answer', async () => {
  const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`src/${n % 100}/file-${n}.c`, `int f${n};`]))
  await git.create('large/tree', { files: { ...files, ...many } })
  const server = await startServer(prepareDir(git.url))
  const id = Number((await server.call('POST', '/api/parse', { repoUrl: `${git.url}/large/tree` })).body.queueId)
  const slowest: number[] = []
  await until(async () => {
    const began = performance.now()
    await server.call('GET', '/api/health')
    slowest.push(performance.now() - began)
    return (await server.job(id)).finishedAt
  })
  expect((await server.job(id)).state).toBe('done')
  expect(slowest.sort((a, b) => b - a)[Math.ceil(slowest.length / 100)]).toBeLessThan(100)
}, 60_000)

const isRunning = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
