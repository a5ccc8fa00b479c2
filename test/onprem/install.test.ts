import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { kill } from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { rootCertificates } from 'node:tls'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { caFile, startSecureGitServer } from '../fixtures/git-hosts.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { expectEnded, isRunning } from '../fixtures/running.ts'
import { prepareDir, runServer, type ServerProcess, startServer } from '../fixtures/server-process.ts'
import { tablesIn } from '../fixtures/tables-in.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

let git: GitServer

beforeAll(async () => {
  git = await startGitServer()
})
afterAll(() => git.close())

const files = { 'README.md': page('Guide', 'The lever turns.') }

test('a second server on the same data directory fails to start with one line, and the first continues', async () => {
  const prepared = prepareDir(git.url)
  const first = await startServer(prepared)
  const second = await runServer({ PORT: '0', DATA_DIR: prepared.dataDir })
  expect(second).toEqual({
    stderr: `carrel: Another Carrel server already uses DATA_DIR ${prepared.dataDir}. Stop it or choose another DATA_DIR.\n`,
    code: 1,
  })
  expect((await first.call('GET', '/api/health')).status).toBe(200)
})

test('a second server is rejected also if it uses the data directory by a link', async () => {
  const prepared = prepareDir(git.url)
  await startServer(prepared)
  const link = join(tempDir(), 'link')
  symlinkSync(prepared.dataDir, link)
  expect(await runServer({ PORT: '0', DATA_DIR: link })).toEqual({
    stderr: `carrel: Another Carrel server already uses DATA_DIR ${link}. Stop it or choose another DATA_DIR.\n`,
    code: 1,
  })
})

test('a port that is in use is reported in one line, and the process ends', async () => {
  const holder = createServer()
  onTestFinished(() => void holder.close())
  await new Promise<void>((listening) => holder.listen(0, '127.0.0.1', listening))
  const address = holder.address()
  const port = String(address !== null && typeof address === 'object' ? address.port : '')
  expect(await runServer({ PORT: port, DATA_DIR: tempDir() })).toEqual({
    stderr: `carrel: Port ${port} on 127.0.0.1 is in use by another program. Set PORT to a free port.\n`,
    code: 1,
  })
})

test('an unusable data directory is reported in one line, and the process ends', async () => {
  const file = join(tempDir(), 'file')
  writeFileSync(file, '')
  for (const [dataDir, why] of [
    [join(file, 'data'), 'a file is in its way'],
    ['/proc/carrel', 'its parent folder does not exist and cannot be created'],
  ] as const) {
    const { stderr, code } = await runServer({ PORT: '0', DATA_DIR: dataDir })
    expect([code, stderr.split('\n').length]).toEqual([1, 2])
    expect(stderr).toContain(`carrel: DATA_DIR ${dataDir} cannot be used: `)
    expect(stderr).toContain(why)
  }
})

test('stores that cannot be opened are retried until they can, and this is logged once', async () => {
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
  expect(install.log.troubles.map(({ message }) => message)).toEqual(['the stores cannot be opened yet'])
  await install.git.create('late/stores', { files })
  expect((await install.parse('late/stores')).state).toBe('done')
})

test.each(['snippets', 'carrel.db'])('a server without %s is not ready until it is restored', async (name) => {
  const install = await testInstall()
  onTestFinished(() => install.close())
  const ready = async () => (await install.call('GET', '/api/ready')).status
  await until(async () => (await ready()) === 200)
  const path = join(install.dataDir, name)
  renameSync(path, `${path}.away`)
  await until(async () => (await ready()) === 503)
  renameSync(`${path}.away`, path)
  await until(async () => (await ready()) === 200)
})

test('a stopped server puts its running job back and exits without error, and the next server runs the job', async () => {
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

test('a start deletes the files of a killed run without affecting an immediate parse', async () => {
  await git.create('left/behind', { files })
  const prepared = prepareDir(git.url)
  const parse = async (server: ServerProcess) => {
    const body = { repoUrl: `${git.url}/left/behind`, force: true }
    const id = Number((await server.call('POST', '/api/parse', body)).body.queueId)
    await until(async () => (await server.job(id)).finishedAt)
    return server.job(id)
  }
  const first = await startServer(prepared)
  await parse(first)
  expect((await first.call('DELETE', '/api/projects/left/behind')).status).toBe(200)
  await first.kill()
  const clone = join(prepared.dataDir, 'clones', '7', 'tree')
  mkdirSync(clone, { recursive: true })
  for (let n = 0; n < 3000; n++) writeFileSync(join(clone, `${n}.md`), '')
  mkdirSync(join(prepared.dataDir, 'snippets', 'g1-0123456789ab.lance', 'data'), { recursive: true })
  expect((await parse(await startServer(prepared))).state).toBe('done')
  expect((await tablesIn(prepared.dataDir)).filter((name) => !name.startsWith('g1-'))).toEqual([
    expect.stringMatching(/^g2-\w+\.lance$/),
    expect.stringMatching(/^g2-\w+\.statistics\.lance$/),
  ])
})

test('a table that cannot be deleted causes one warning, and the others are deleted', async () => {
  const install = await testInstall({ limits: { retiredMs: 0 } })
  onTestFinished(() => install.close())
  await install.git.create('stuck/table', { files })
  await install.parse('stuck/table')
  writeFileSync(join(install.dataDir, 'snippets', 'a.lance'), 'in the way of a table')
  for (const number of [2, 3]) {
    await install.parse('stuck/table', { force: true })
    const left = ['a.lance', expect.stringMatching(`^g${number}-`), expect.stringMatching(`^g${number}-`)]
    await vi.waitFor(async () => expect(await install.tables()).toEqual(left), 5_000)
  }
  const warning = {
    message: 'unused content cannot be deleted',
    fields: expect.objectContaining({ generation: 'a' }),
  }
  expect(install.log.troubles).toEqual([warning])
})

test('a server runs its jobs even if a table cannot be deleted', async () => {
  await git.create('stuck/start', { files })
  const prepared = prepareDir(git.url)
  const body = { repoUrl: `${git.url}/stuck/start`, force: true }
  for (const id of [1, 2]) {
    const server = await startServer(prepared)
    await server.call('POST', '/api/parse', body)
    await until(async () => (await server.job(id)).finishedAt)
    await server.end()
    writeFileSync(join(prepared.dataDir, 'snippets', 'a.lance'), 'in the way of a table')
  }
})

test('content whose database was lost is never deleted: the start fails with the advice', async () => {
  await git.create('lost/database', { files })
  const prepared = prepareDir(git.url)
  const server = await startServer(prepared)
  await server.call('POST', '/api/parse', { repoUrl: `${git.url}/lost/database` })
  await until(async () => (await server.job(1)).finishedAt)
  await server.end()
  const [path, snippets] = ['carrel.db', 'snippets'].map((name) => join(prepared.dataDir, name)) as [string, string]
  const tables = await tablesIn(prepared.dataDir)
  const backup = readFileSync(path)
  const refused = {
    stderr: `carrel: ${snippets} contains content that is not in the database ${path}; the database was probably lost. Restore it from a backup, or move ${snippets} away to start empty.\n`,
    code: 1,
  }
  const lose = [
    () => rmSync(path),
    () => writeFileSync(path, ''),
    // The command line recreates it in this state.
    () => {
      rmSync(path)
      prepareDir(git.url, prepared.dataDir)
    },
  ]
  for (const each of lose) {
    for (const beside of ['-wal', '-shm']) rmSync(path + beside, { force: true })
    each()
    expect(await runServer({ PORT: '0', DATA_DIR: prepared.dataDir })).toEqual(refused)
    expect(await tablesIn(prepared.dataDir)).toEqual(tables)
  }
  writeFileSync(path, backup)
  for (const beside of ['-wal', '-shm']) rmSync(path + beside, { force: true })
  expect(await (await startServer(prepared)).context('/lost/database', 'what turns')).toContain('The lever turns.')
})

test('a database that is damaged in the middle is reported in one line, and the process ends', async () => {
  const { dataDir } = prepareDir(git.url)
  const path = join(dataDir, 'carrel.db')
  const db = new DatabaseSync(path)
  const tables = db.prepare('SELECT rootpage FROM sqlite_schema WHERE rootpage > 0').all()
  db.close()
  const bytes = readFileSync(path)
  for (const { rootpage } of tables) bytes.fill(0, (Number(rootpage) - 1) * 4096, Number(rootpage) * 4096)
  writeFileSync(path, bytes)
  const { stderr, code } = await runServer({ PORT: '0', DATA_DIR: dataDir })
  expect([code, stderr]).toEqual([
    1,
    `carrel: The database ${path} cannot be read: database disk image is malformed. Restore a backup with "carrel restore FILE".\n`,
  ])
})

test('content that is mounted after the start of a server with a new database is not deleted', async () => {
  let looks = 0
  const openSnippets = (folder: string) => {
    const snippets = lanceSnippets(folder)
    const generations = async () => {
      looks += 1
      if (looks > 1) return ['g1-0123456789ab']
      throw new Error('not mounted yet')
    }
    const drop = async (generation: string) => void dropped.push(generation)
    return { ...snippets, generations, drop }
  }
  const dropped: string[] = []
  const install = await testInstall({ openSnippets, limits: { reopenMs: 10 } })
  await install.git.create('mounted/late', { files })
  await install.queue('mounted/late')
  await until(() => looks > 4)
  expect((await install.call('GET', '/api/ready')).status).toBe(503)
  await install.close()
  expect(dropped).toEqual([])
})

test.runIf(existsSync('/proc/self/comm'))(
  'a git process that outlived its killed server ends at the next start, and its clone is deleted',
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
    await until(() => readdirSync(join(prepared.dataDir, 'clones')).length === 0)
    await expectEnded(orphan)
  },
)

test.each([
  ['a private authority that NODE_EXTRA_CA_CERTS names', () => ({ NODE_EXTRA_CA_CERTS: caFile })],
  [
    'an authority that the system trusts, next to a private one',
    () => {
      const other = join(tempDir(), 'other.pem')
      writeFileSync(other, String(rootCertificates[0]))
      return { SSL_CERT_FILE: caFile, NODE_EXTRA_CA_CERTS: other }
    },
  ],
])('a repository on a host with a certificate of %s can be fetched', async (_, env) => {
  const secure = await startSecureGitServer()
  onTestFinished(() => secure.close())
  await secure.create('secure/host', { files })
  const server = await startServer(prepareDir(secure.url), env())
  const id = Number((await server.call('POST', '/api/parse', { repoUrl: `${secure.url}/secure/host` })).body.queueId)
  await until(async () => (await server.job(id)).finishedAt)
  expect(await server.job(id)).toMatchObject({ state: 'done', error: null })
})
