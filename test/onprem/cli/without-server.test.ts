import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { sqliteJobs } from '../../../onprem/store/jobs/job-store.ts'
import { parseLibraryId } from '../../../shared/library.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { lockDataDir } from '../../../shared/store/open-data-dir.ts'
import { packageVersion } from '../../../shared/system/package-version.ts'
import { head } from '../../fixtures/bundle.ts'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { snippetsOf } from '../../fixtures/imports.ts'
import { runCarrel, runCarrelProcess, startCarrel } from '../../fixtures/run-carrel.ts'
import { prepareDir, runServer, startServer } from '../../fixtures/server-process.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { until } from '../../fixtures/until.ts'

/** Each command is a process that opens an install. */
let git: GitServer
let dataDir: string
beforeAll(async () => {
  git = await startGitServer()
  const page = (word: string) => ({ files: { 'README.md': `# ${word}\n\nThe ${word} turns.\n` } })
  await git.create('acme/lever', page('lever'))
  await git.create('acme/wheel', page('wheel'))
})
afterAll(() => git.close())
beforeEach(() => {
  git.misbehave('acme/lever')
  dataDir = prepareDir(git.url).dataDir
})

const carrel = (...words: string[]) => runCarrel(words, { dataDir })
const repo = (name: string) => `${git.url}/acme/${name}`
const summary = (name: string) => expect.stringMatching(new RegExp(`^/acme/${name}: 1 snippet from 1 file, in [\\d.]+ s\\.\n$`))

/** Reads or changes the jobs of the install, which no other process uses. */
function withJobs<T>(work: (jobs: ReturnType<typeof sqliteJobs>) => T): T {
  const db = openDatabase(dataDir)
  try {
    return work(sqliteJobs(db, () => new Date()))
  } finally {
    db.close()
  }
}
const queueJob = (name: string) =>
  withJobs(
    (jobs) =>
      jobs.enqueue({
        library: parseLibraryId(`/acme/${name}`),
        kind: 'parse',
        request: { repoUrl: repo(name), force: false, anonymous: false },
      }).id,
  )
const stateOf = (id: number) => withJobs((jobs) => jobs.get(id)?.state)

/** Starts a command whose job waits for the git host. */
async function startStalled() {
  git.misbehave('acme/lever', { kind: 'stall', at: 'pack' })
  const before = git.requests.length
  const child = startCarrel(['add', repo('lever')], { dataDir })
  const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
  await until(() => git.requests.length > before + 1)
  return { child, ended }
}

test('add parses in its own process, and list, ask and jobs show the result', async () => {
  const carrel = (...words: string[]) => runCarrelProcess(words, { dataDir })
  const { code, out, err } = await carrel('add', 'acme/lever')
  expect({ code, out }).toEqual({ code: 0, out: summary('lever') })
  expect(err).toMatch(/^(carrel: \/acme\/lever: .*\n)+carrel: Ask it: npm run -s carrel -- ask \/acme\/lever "your question"\n$/)
  const [list, ask, jobs] = [await carrel('list'), await carrel('ask', 'acme/lever', 'what turns'), await carrel('jobs')]
  expect(list).toMatchObject({ code: 0, out: expect.stringMatching(/^\/acme\/lever\t\t1\tready\t\S+\t\S+\n$/), err: '' })
  expect(ask).toMatchObject({ code: 0, out: expect.stringContaining('The lever turns.'), err: '' })
  expect(jobs).toMatchObject({ code: 0, out: expect.stringMatching(/^1\t\/acme\/lever\tparse\tdone\t/), err: '' })
  expect(readdirSync(dataDir).filter((name) => name.endsWith('.json'))).toEqual([])
  expect(readdirSync(join(dataDir, 'clones'))).toEqual([])
})

test('search in an empty install names the next command', async () => {
  const err = 'carrel: No library matches "zod": none has been added yet. Add one (npm run -s carrel -- add owner/repo).\n'
  expect(await carrel('search', 'zod')).toEqual({ code: 1, out: '', err })
})

test('a failed job ends with its reason, without a stack', async () => {
  const { code, out, err } = await carrel('add', repo('nothing'))
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/^(carrel: [^\n]+\n)*carrel: \/acme\/nothing: [^\n]+\.\n$/)
})

test.each([
  ['jobs --wait', 'carrel: --wait needs the number of a job; "carrel jobs" lists them.\n'],
  ['jobs 1 --wait --json', "carrel: option '--wait' cannot be used with option '--json'; add --help for usage.\n"],
])('the command "%s" is wrong usage', async (words, err) => {
  expect(await carrel(...words.split(' '))).toEqual({ code: 2, out: '', err })
})

test('refresh, remove and import change the install', async () => {
  await carrel('add', repo('lever'))
  expect(await carrel('refresh', 'acme/lever')).toMatchObject({ code: 0, out: '/acme/lever: unchanged, 1 snippet.\n' })
  expect((await carrel('jobs', '2')).out).toContain('\nfiles\tunchanged\n')
  expect(await carrel('remove', 'acme/lever', '--yes')).toEqual({ code: 0, out: '/acme/lever is deleted.\n', err: '' })
  expect(readdirSync(join(dataDir, 'snippets')).filter((name) => name.endsWith('.lance'))).toEqual([])
  const file = join(tempDir(), 'bundle.json')
  writeFileSync(file, JSON.stringify({ libraries: [{ ...head({ project: '/acme/imported' }), ...snippetsOf('One', 'Two') }] }))
  expect(await carrel('import', file)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\/acme\/imported: 2 snippets/),
  })
  expect((await carrel('list')).out).toMatch(/^\/acme\/imported\t\t2\tready\t/)
})

describe('a job that was queued earlier', () => {
  test('does not run unless a command waits for it', async () => {
    const queued = queueJob('wheel')
    await carrel('list')
    await carrel('add', repo('lever'))
    expect(stateOf(queued)).toBe('queued')
    expect(await carrel('jobs', String(queued), '--wait')).toMatchObject({ code: 0, out: summary('wheel') })
    expect(stateOf(queued)).toBe('done')
  })

  test('runs first if it is for the same library', async () => {
    const queued = queueJob('lever')
    const { code, err } = await carrel('add', repo('lever'), '--force')
    expect(code).toBe(0)
    expect(err).toContain(`carrel: Job ${queued} of /acme/lever was in the queue before; it runs first.\n`)
    expect([stateOf(queued), stateOf(queued + 1)]).toEqual(['done', 'done'])
  })
})

test('an interrupt with Ctrl-C cancels the job and leaves no files', async () => {
  const { child, ended } = await startStalled()
  child.kill('SIGINT')
  const [[code], out, err] = await ended
  expect({ code, out }).toEqual({ code: 130, out: '' })
  expect(err).toMatch(/carrel: Job 1 was cancelled\. Run the command again to start over\.\n$/)
  expect(stateOf(1)).toBe('cancelled')
  expect(readdirSync(join(dataDir, 'clones'))).toEqual([])
  expect(existsSync(join(dataDir, 'command.json'))).toBe(false)
  git.misbehave('acme/lever')
  expect(await carrel('add', repo('lever'))).toMatchObject({ code: 0 })
})

describe('an interrupt with Ctrl-C during an upload', () => {
  /** Starts an import of many megabytes, which it is still reading when this returns. */
  async function startImport(words: string[] = []) {
    const file = join(tempDir(), 'large.json')
    const element = JSON.stringify({
      ...head({ project: '/acme/large' }),
      ...snippetsOf(...Array(50_000).fill('words '.repeat(100))),
    })
    writeFileSync(file, `{"libraries":[${element}]}`)
    const child = startCarrel(['import', file, ...words], { dataDir })
    const out = text(child.stdout)
    const err = text(child.stderr)
    return { child, ended: Promise.all([once(child, 'exit'), out, err]) }
  }

  test('ends the import in this process before anything is queued', async () => {
    const { child, ended } = await startImport()
    await once(child.stderr, 'data')
    child.kill('SIGINT')
    const [[code], out, err] = await ended
    expect({ code, out, err }).toEqual({
      code: 130,
      out: '',
      err: 'carrel: Reading large.json\ncarrel: Stopped before a job was queued.\n',
    })
    expect(withJobs((jobs) => jobs.list(1, 1).total)).toBe(0)
    expect(readdirSync(join(dataDir, 'imports'))).toEqual([])
  })

  test('ends the command immediately, even if the server does not respond', async () => {
    const uploading = Promise.withResolvers<void>()
    const server = createServer((request, response) => {
      if (request.method === 'POST') return uploading.resolve()
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jobs: [], total: 0 }))
    })
    onTestFinished(() => server.closeAllConnections())
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    writeFileSync(
      join(dataDir, 'server.json'),
      JSON.stringify({ pid: process.pid, url, version: packageVersion(), token: 'of this server' }),
    )
    const lock = lockDataDir(dataDir, 'onprem')
    onTestFinished(() => lock.release())
    const { child, ended } = await startImport(['--wait'])
    await uploading.promise
    child.kill('SIGINT')
    const [[code], out, err] = await ended
    expect({ code, out }).toEqual({ code: 130, out: '' })
    expect(err).toBe(
      'carrel: Reading large.json\ncarrel: Stopped. The server may have received the request before; its jobs are listed by: npm run -s carrel -- jobs\n',
    )
  })
})

test('a server and other commands that must wait for a command name it', async () => {
  const { child, ended } = await startStalled()
  const [list, server] = await Promise.all([carrel('list'), runServer({ DATA_DIR: dataDir, PORT: '0' })])
  const uses = `The command "carrel add" (process ${child.pid}) uses DATA_DIR ${dataDir}.`
  expect(list).toEqual({
    code: 1,
    out: '',
    err: `carrel: ${uses} Run this command when it has ended. While a server runs, commands can run at the same time.\n`,
  })
  expect(server).toEqual({ code: 1, stderr: `carrel: ${uses} Start the server when it has ended.\n` })
  child.kill('SIGTERM')
  expect((await ended)[0]).toEqual([143, null])
})

describe('a server that was killed', () => {
  test('leaves a file that commands ignore, and its job runs again only on request', async () => {
    const prepared = prepareDir(git.url, dataDir)
    const server = await startServer(prepared)
    git.misbehave('acme/lever', { kind: 'stall', at: 'pack' })
    await server.call('POST', '/api/parse', { repoUrl: repo('lever') })
    await until(async () => (await server.job(1)).state === 'parsing')
    await server.kill()
    expect(existsSync(join(dataDir, 'server.json'))).toBe(true)
    expect(await carrel('jobs')).toMatchObject({ code: 0, out: expect.stringMatching(/^1\t\/acme\/lever\tparse\tqueued\t/) })
    expect(existsSync(join(dataDir, 'server.json'))).toBe(false)
  })

  test('is not mistaken for another install at its address', async () => {
    const other = prepareDir(git.url)
    const { url } = await startServer(other)
    const facts = { pid: process.pid, url, version: packageVersion(), token: 'of the server that was killed' }
    writeFileSync(join(dataDir, 'server.json'), JSON.stringify(facts))
    await carrel('add', repo('lever'))
    expect((await carrel('list')).out).toMatch(/^\/acme\/lever\t/)
    expect((await runCarrel(['list'], { dataDir: other.dataDir })).out).toBe('')
  })
})

describe('a foreign program at the address in server.json', () => {
  const hostile = '\u001b]0;title\u0007\u009b31m'
  const library = {
    id: '/a/b',
    versions: [],
    totalSnippets: 0,
    state: 'error',
    lastUpdateDate: '',
    statusMessage: `1${hostile}2`,
  }
  const requests: string[] = []
  const program = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jobs: [], projects: [library], total: 1 }))
  })
  beforeAll(async () => {
    await once(program.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => program.close())

  const writeFacts = () => {
    const url = `http://127.0.0.1:${(program.address() as AddressInfo).port}`
    const facts = { pid: process.pid, url, version: packageVersion(), token: 'of the server that was killed' }
    writeFileSync(join(dataDir, 'server.json'), JSON.stringify(facts))
  }

  test('gets no request if no server runs', async () => {
    writeFacts()
    expect(await carrel('add', repo('lever'))).toMatchObject({ code: 0, out: summary('lever') })
    expect(requests).toEqual([])
  })

  test('cannot change the terminal', async () => {
    writeFacts()
    const lock = lockDataDir(dataDir, 'onprem')
    const listed = await carrel('list')
    lock.release()
    expect(listed).toMatchObject({ code: 0, err: 'carrel: 1]0;title31m2\n' })
  })
})

test('a command is named to others even while it loads', async () => {
  const block = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) {
  if (url.endsWith('/connect-locally.ts')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  return next(url, context)
} })`
  const hook = join(tempDir(), 'block.mjs')
  writeFileSync(hook, block)
  const child = startCarrel(['list'], { dataDir, env: { NODE_OPTIONS: `--import=${hook}` } })
  const exit = once(child, 'exit')
  await until(() => existsSync(join(dataDir, 'command.json')))
  child.kill('SIGKILL')
  await exit
})

test('a process that holds the data directory without a server or a command is reported', async () => {
  const lock = lockDataDir(dataDir, 'onprem')
  const { code, err } = await carrel('list')
  lock.release()
  expect(code).toBe(1)
  expect(err).toBe(
    `carrel: Another process uses DATA_DIR ${dataDir}, but does not respond. Wait until it has started or stopped.\n`,
  )
})

test('a file that cannot be deleted is reported in one sentence, by a command and by a server', async () => {
  const path = join(dataDir, 'server.json')
  mkdirSync(path)
  const stderr = `carrel: The file ${path} cannot be deleted. Delete it by hand.\n`
  expect(await carrel('list')).toEqual({ code: 1, out: '', err: stderr })
  expect(await runServer({ DATA_DIR: dataDir, PORT: '0' })).toEqual({ code: 1, stderr })
})

test('a server whose server.json cannot be deleted still stops cleanly', async () => {
  const server = await startServer(prepareDir(git.url, dataDir))
  rmSync(join(dataDir, 'server.json'))
  mkdirSync(join(dataDir, 'server.json'))
  expect(await server.end()).toBe(0)
})

test('a data directory that cannot be written is reported in one sentence', async () => {
  const { code, out, err } = await runCarrel(['add', 'acme/lever'], { dataDir: '/proc/carrel' })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/^carrel: DATA_DIR \/proc\/carrel cannot be used: [^\n]+\.\n$/)
})
