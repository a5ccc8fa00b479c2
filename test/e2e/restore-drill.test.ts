import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { snippetsOf } from '../fixtures/imports.ts'
import { page } from '../fixtures/page.ts'
import { runCarrel, startCarrel } from '../fixtures/run-carrel.ts'
import { type PreparedDir, prepareDir, type ServerProcess, startServer } from '../fixtures/server-process.ts'
import { mayMount, smallDisk } from '../fixtures/small-disk.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

type StoppedInstall = PreparedDir & { /** Its backup. */ file: string }

let git: GitServer
/** Each has one library whose page says its word. */
const stoppedInstalls = new Map<string, StoppedInstall>()

beforeAll(async () => {
  git = await startGitServer()
  for (const [word, noise] of [
    ['axle', 0],
    ['wheel', 60],
  ] as const)
    stoppedInstalls.set(word, await stoppedInstall(word, noise))
})
afterAll(async () => {
  for (const { dataDir, file } of stoppedInstalls.values())
    for (const path of [dataDir, file]) rmSync(path, { recursive: true, force: true })
  await git.close()
})

const root = new URL('../..', import.meta.url).pathname
/** Real documentation: the pages of installed packages. */
const documents = execFileSync('find', ['node_modules', '-name', '*.md', '-size', '+3k', '-size', '-60k'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .sort()
const libraries = 3
const pages = 40
const filesOf = (n: number) =>
  Object.fromEntries(
    documents
      .slice(n * pages, (n + 1) * pages)
      .map((path) => [`docs/${path.replaceAll('/', '-')}`, readFileSync(join(root, path), 'utf8')]),
  )
const ids = Array.from({ length: libraries }, (_, n) => `/drill/library${n}`)
const questions = ['how do I install it', 'options of the parser', 'read a file as a stream', 'handle an error', 'license']

const ask = async ({ url }: Pick<ServerProcess, 'url'>, libraryId: string) =>
  Promise.all(
    questions.map(async (query) => (await fetch(`${url}/api/v2/context?${new URLSearchParams({ libraryId, query })}`)).text()),
  )
async function parse(server: ServerProcess, repo: string): Promise<void> {
  const { body } = await server.call('POST', '/api/parse', { repoUrl: `${git.url}/${repo}`, force: true })
  await until(async () => (await server.job(Number(body.queueId))).finishedAt)
  expect(await server.job(Number(body.queueId))).toMatchObject({ state: 'done' })
}
const carrel = (dataDir: string, ...words: string[]) => runCarrel(words, { dataDir })

test('a restore into an empty folder of a backup under load gives the same answers after kill -9', async () => {
  const prepared = prepareDir(git.url)
  const server = await startServer(prepared)
  for (const [n, id] of ids.entries()) {
    await git.create(id.slice(1), { files: filesOf(n) })
    await parse(server, id.slice(1))
  }
  const before = await Promise.all(ids.map((id) => ask(server, id)))

  const load = new AbortController()
  const asking = Array.from({ length: 2 }, async (_, n) => {
    for (let i = n; !load.signal.aborted; i++) {
      const [answer] = await ask(server, ids[i % libraries] as string)
      expect(answer).not.toMatch(/internal_error|data_damaged|search_failed/)
    }
  })
  await git.commit('drill/library0', { files: { 'docs/new.md': page('Levers', 'The lever is new and turns a wheel.') } })
  const replacing = parse(server, 'drill/library0')
  const many = Array.from({ length: 2_000 }, (_, n) => `Part ${n} of the import has lever ${n * 7}.`)
  const imported = await server.call('POST', '/api/import-libraries', {
    libraries: [{ project: '/drill/imported', ...snippetsOf(...many) }],
  })
  expect(imported.status).toBe(202)
  const file = join(tempDir(), 'drill.tar.zst')
  const taken = await carrel(prepared.dataDir, 'backup', file)
  expect(taken).toMatchObject({ code: 0, out: expect.stringMatching(/drill\.tar\.zst: [\d.]+ MB\n/) })
  await replacing
  const after = await ask(server, '/drill/library0')
  load.abort()
  await Promise.all(asking)
  await server.kill()

  const restored: PreparedDir = { ...prepared, dataDir: join(tempDir(), 'restored') }
  expect(await carrel(restored.dataDir, 'restore', file)).toMatchObject({ code: 0, out: 'The backup is restored.\n' })
  const again = await startServer(restored)
  await until(async () => !/search_failed|data_damaged|temporarily/.test(await again.context('/drill/library1', 'license')))
  const answers = await Promise.all(ids.map((id) => ask(again, id)))
  expect(answers.slice(1)).toEqual(before.slice(1))
  expect(answers[0]).toBeOneOf([before[0], after])
  // The import that the backup found accepted is finished.
  await until(async () => (await again.context('/drill/imported', 'which part has lever 7')).includes('lever 7'))
  expect(await again.end()).toBe(0)
})

async function stoppedInstall(word: string, noise: number): Promise<StoppedInstall> {
  const install = await testInstall()
  const more = Object.fromEntries(
    documents.slice(0, noise).map((path, n) => [`docs/${n}.md`, readFileSync(join(root, path), 'utf8')]),
  )
  await install.git.create(`word/${word}`, { files: { 'README.md': page('Guide', `The ${word} turns.`), ...more } })
  expect((await install.parse(`word/${word}`)).state).toBe('done')
  const { dataDir, keys } = install
  const file = `${dataDir}.tar.zst`
  expect((await carrel(dataDir, 'backup', file)).code).toBe(0)
  await install.stop()
  await install.git.close()
  return { dataDir, key: keys.admin, file }
}

/** A copy of a stopped install, and the backup of the original. */
function installWith(word: 'axle' | 'wheel'): StoppedInstall {
  const { dataDir: source, ...rest } = stoppedInstalls.get(word) as StoppedInstall
  const dataDir = join(tempDir(), 'data')
  cpSync(source, dataDir, { recursive: true })
  return { ...rest, dataDir }
}

test('a restore changes nothing over a running server, without --yes, or with a file that is no backup', async () => {
  const { file } = installWith('wheel')
  const target = installWith('axle')
  const server = await startServer(target)
  const refused = await carrel(target.dataDir, 'restore', file, '--yes')
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('Stop it, then restore. Nothing was changed.') })
  expect(await server.context('/word/axle', 'what turns')).toContain('The axle turns.')
  await server.end()
  expect(await carrel(target.dataDir, 'restore', file)).toMatchObject({ code: 2, err: expect.stringContaining('Add --yes') })
  const cut = join(tempDir(), 'cut.tar.zst')
  writeFileSync(cut, readFileSync(file).subarray(0, statSync(file).size / 2))
  const names = readdirSync(target.dataDir)
  expect(await carrel(target.dataDir, 'restore', cut, '--yes')).toMatchObject({
    code: 1,
    err: expect.stringContaining('is damaged or incomplete'),
  })
  expect(await carrel(target.dataDir, 'restore', join(root, 'package.json'), '-y')).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not a backup'),
  })
  expect(await carrel(target.dataDir, 'restore', 'missing')).toMatchObject({
    code: 1,
    err: expect.stringContaining('does not exist'),
  })
  expect(await carrel(target.dataDir, 'restore', file, '--check')).toMatchObject({
    code: 0,
    out: expect.stringContaining('It is complete.'),
  })
  expect(await carrel(target.dataDir, 'backup', file)).toMatchObject({ code: 2, err: expect.stringContaining('exists already') })
  expect(await carrel(target.dataDir, 'backup', '')).toMatchObject({ code: 2, err: expect.stringContaining('Name a new file') })
  expect(readdirSync(target.dataDir)).toEqual(names)

  const done = await carrel(target.dataDir, 'restore', file, '--yes')
  expect(done).toMatchObject({ code: 0, err: expect.stringMatching(/the old content is in .*pre-restore-/) })
  expect((await carrel(target.dataDir, 'list')).out).toContain('/word/wheel')
  expect((await carrel(target.dataDir, 'list')).out).not.toContain('/word/axle')
})

test('a restore that is killed at any moment leaves the old libraries or the new, and the next command works', async () => {
  const { file } = installWith('wheel')
  const target = installWith('axle')
  const found: string[] = []
  for (const waitMs of [0, 500, 1_000, 1_700]) {
    const child = startCarrel(['restore', file, '--yes'], target)
    child.stdin.end()
    await sleep(waitMs)
    child.kill('SIGKILL')
    await until(() => child.exitCode !== null || child.signalCode !== null)
    const { code, out } = await carrel(target.dataDir, 'list')
    expect(code).toBe(0)
    found.push(/\/word\/(\w+)/.exec(out)?.[1] ?? '')
    expect(out.trim().split('\n')).toHaveLength(1)
    expect(existsSync(join(target.dataDir, 'restore-new'))).toBe(false)
  }
  expect(new Set(found)).toEqual(new Set(found.includes('wheel') ? ['axle', 'wheel'] : ['axle']))
  expect(found[0]).toBe('axle')
})

test('a backup goes to standard output, ends with Ctrl-C without a trace, and works without a server', async () => {
  const { dataDir } = installWith('wheel')
  const folder = tempDir()
  const piped = spawn('sh', ['-c', `${process.execPath} onprem/cli/main.ts backup - > ${join(folder, 'piped')}`], {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDir },
  })
  await until(() => piped.exitCode !== null)
  expect(piped.exitCode).toBe(0)
  expect((await carrel(dataDir, 'restore', join(folder, 'piped'), '--check')).code).toBe(0)
  const child = startCarrel(['backup', join(folder, 'interrupted')], { dataDir })
  await until(() => readdirSync(folder).includes('interrupted.partial') || child.exitCode !== null)
  child.kill('SIGINT')
  await until(() => child.exitCode !== null)
  expect(child.exitCode).toBeOneOf([0, 130])
  expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([])
  expect(readdirSync(join(dataDir, 'backup-work'))).toEqual([])
})

test.runIf(mayMount())(
  'a disk that fills during a backup or a restore leaves no file, and serving continues',
  async () => {
    const { dataDir, file, key } = installWith('wheel')
    const disk = join(tempDir(), 'disk')
    const unmount = smallDisk(disk, 1)
    onTestFinished(() => unmount?.())
    const server = await startServer({ dataDir, key })
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(900_000))
    const failed = await carrel(dataDir, 'backup', join(disk, 'one.tar.zst'))
    expect(failed).toMatchObject({
      code: 1,
      err: expect.stringMatching(/The disk of .* is full\. No backup was written; make room/),
    })
    expect(readdirSync(disk)).toEqual(['ballast'])
    expect(await server.context('/word/wheel', 'what turns')).toContain('The wheel turns.')
    await server.end()

    rmSync(join(disk, 'ballast'))
    const small = join(disk, 'data')
    const restored = await carrel(small, 'restore', file)
    expect(restored).toMatchObject({ code: 1, err: expect.stringMatching(/make room and restore again/) })
    expect(readdirSync(small).filter((name) => /restore|db/.test(name))).toEqual([])
  },
  120_000,
)
