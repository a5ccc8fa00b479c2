import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
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
