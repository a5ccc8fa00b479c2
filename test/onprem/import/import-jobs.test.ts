import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countThreads } from '../../fixtures/count-threads.ts'
import { finishAfter } from '../../fixtures/finish-after.ts'
import { snippetsOf } from '../../fixtures/imports.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

let install: TestInstall
/** Runs in the snippet store before a generation is finished. */
let beforeFinish: () => Promise<void> = async () => undefined

beforeAll(async () => {
  install = await testInstall({
    limits: { retryPausesMs: [] },
    openSnippets: finishAfter(() => beforeFinish()),
  })
})
afterAll(() => install.close())

const waiting = () => readdirSync(join(install.dataDir, 'imports'))
const library = (libraryId: string, ...contents: string[]) => ({ project: libraryId, title: 'Docs', ...snippetsOf(...contents) })
async function send(
  elements: object[],
  force = false,
): Promise<{ queued: string[]; skipped: { project: string; reason: string }[] }> {
  const { body } = await install.call('POST', `/api/import-libraries?force=${force}`, { libraries: elements })
  return body as never
}
/** The newest job of a library. */
async function jobOf(libraryId: string): Promise<number> {
  const { body } = await install.call('GET', '/api/jobs')
  return (body.jobs as { id: number; project: string }[]).find((job) => job.project === libraryId)?.id as number
}
async function idle() {
  await until(async () => Object.keys((await install.call('GET', '/api/parse-status')).body.activeParses as object).length === 0)
}
/** Makes jobs wait before they finish. Returns a function that lets them continue. */
function held(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  beforeFinish = () => promise
  return () => {
    beforeFinish = async () => undefined
    resolve()
  }
}

test('an import that fails keeps its snippets, and is retried with them', async () => {
  beforeFinish = () => Promise.reject(new Error('LanceError(IO): No space left on device (os error 28)'))
  await send([library('/fails/once', 'The lever turns.')])
  const id = await jobOf('/fails/once')
  const failed = await install.ended(id)
  beforeFinish = async () => undefined
  expect([failed.state, failed.error]).toEqual([
    'failed',
    'disk_full: The disk of DATA_DIR is full. The old content stays; make room and retry the job.',
  ])
  expect(waiting()).toHaveLength(1)
  const { status, body } = await install.call('POST', `/api/jobs/${id}/retry`)
  expect([status, body]).toEqual([
    202,
    { message: 'Import queued', project: '/fails/once', queueId: expect.any(Number), position: null },
  ])
  expect((await install.ended(Number(body.queueId))).state).toBe('done')
  expect(await install.context('/fails/once', 'lever')).toContain('The lever turns.')
  await until(() => waiting().length === 0)
  expect(await install.call('POST', `/api/jobs/${id}/retry`)).toMatchObject({
    status: 400,
    body: { message: 'The uploaded data of /fails/once was deleted. Import the bundle again.' },
  })
})

test('the data of a failed import is deleted with its library, and when the library is parsed instead', async () => {
  await install.git.create('goes/two', { files: { 'README.md': page('Guide', 'The lever is parsed.') } })
  await send([library('/goes/one', 'The lever is old.'), library('/goes/one@v1', 'The lever is older.')])
  await idle()
  beforeFinish = () => Promise.reject(new Error('LanceError(IO): No space left on device (os error 28)'))
  await send([library('/goes/one', 'x'), library('/goes/one@v1', 'x'), library('/goes/two', 'x')], true)
  await idle()
  beforeFinish = async () => undefined
  const ids = [await jobOf('/goes/one'), await jobOf('/goes/one@v1'), await jobOf('/goes/two')]
  expect(waiting()).toHaveLength(3)
  expect((await install.call('DELETE', '/api/projects/goes/one@v1')).status).toBe(200)
  expect(waiting()).toHaveLength(2)
  expect((await install.call('DELETE', '/api/projects/goes/one')).status).toBe(200)
  expect(waiting()).toHaveLength(1)
  await install.parse('goes/two')
  await until(() => waiting().length === 0)
  for (const id of ids) {
    const { status, body } = await install.call('POST', `/api/jobs/${id}/retry`)
    expect([status, body.message]).toEqual([400, expect.stringMatching(/was deleted. Import the bundle again.$/)])
  }
  expect(await install.context('/goes/two', 'lever')).toContain('The lever is parsed.')
})

test('a cancelled import keeps the old content, and can be retried', async () => {
  await send([library('/cancel/led', 'The lever is old.')])
  await idle()
  const go = held()
  await send([library('/cancel/led', 'The lever is new.')], true)
  const id = await jobOf('/cancel/led')
  await until(async () => (await install.call('GET', `/api/jobs/${id}`)).body.state === 'finalizing')
  const cancelled = install.call('POST', `/api/jobs/${id}/cancel`)
  await cancelled
  go()
  expect((await install.ended(id)).state).toBe('cancelled')
  expect(await install.context('/cancel/led', 'lever')).toContain('The lever is old.')
  const { body } = await install.call('POST', `/api/jobs/${id}/retry`)
  expect((await install.ended(Number(body.queueId))).state).toBe('done')
  expect(await install.context('/cancel/led', 'lever')).toContain('The lever is new.')
})

test('the old content is served until the new is complete, and the job shows its progress', async () => {
  await send([library('/keeps/old', 'The lever is old.')])
  await idle()
  const go = held()
  await send([library('/keeps/old', 'The lever is new.')], true)
  const id = await jobOf('/keeps/old')
  await until(async () => (await install.call('GET', `/api/jobs/${id}`)).body.state === 'finalizing')
  expect((await install.call('GET', '/api/parse-status')).body.activeParses).toMatchObject({
    '/keeps/old': { status: 'finalizing' },
  })
  expect(await install.context('/keeps/old', 'lever')).toContain('The lever is old.')
  expect((await send([library('/keeps/old', 'x')], true)).skipped).toEqual([{ project: '/keeps/old', reason: 'already queued' }])
  go()
  expect((await install.ended(id)).report).toMatchObject({ snippetsBefore: 1, snippetsAfter: 1 })
  expect(await install.context('/keeps/old', 'lever')).toContain('The lever is new.')
})

test('a parse and an import of one library do not run concurrently, and nothing is deleted during an import', async () => {
  await install.git.create('both/ways', { files: { 'README.md': page('Guide', 'The lever is parsed.') } })
  const goOn = held()
  const parse = await install.queue('both/ways')
  const refused = {
    project: '/both/ways@v1',
    reason: `Its library has an unfinished job (parse); wait for it or cancel job ${parse}, then import again.`,
  }
  expect((await send([library('/both/ways@v1', 'x')])).skipped).toEqual([refused])
  goOn()
  await install.ended(parse)
  const go = held()
  await send([library('/both/ways@v1', 'The lever is imported.'), library('/both/ways', 'x')])
  const active = { status: 409, body: { error: 'job_active', project: '/both/ways@v1' } }
  expect(await install.call('POST', '/api/parse', { repoUrl: `${install.git.url}/both/ways` })).toMatchObject(active)
  expect(await install.call('DELETE', '/api/projects/both/ways')).toMatchObject({ status: 409 })
  go()
  await idle()
})

test('importing a new version keeps a parsed library refreshable; replacing a version makes it imported', async () => {
  await install.git.create('parsed/here', { files: { 'README.md': page('Guide', 'The lever is parsed.') } })
  await install.parse('parsed/here')
  await send([library('/parsed/here@v9', 'The lever is nine.')])
  await idle()
  const readLibrary = async () => (await install.call('GET', '/api/projects/parsed/here')).body
  expect(await readLibrary()).toMatchObject({ imported: false, versions: ['v9'] })
  expect(await install.context('/parsed/here@v9', 'lever')).toContain('The lever is nine.')
  expect(await install.context('/parsed/here', 'lever')).toContain('The lever is parsed.')
  await send([library('/parsed/here@v9', 'The lever is ten.')], true)
  await idle()
  expect(await readLibrary()).toMatchObject({ imported: true, source: 'Imported', title: 'Guide', versions: ['v9'] })
  expect(await install.context('/parsed/here', 'lever')).toContain('The lever is parsed.')
  expect((await install.call('POST', '/api/projects/parsed/here/refresh')).status).toBe(400)
  await install.parse('parsed/here', { force: true })
  expect(await readLibrary()).toMatchObject({ imported: false })
})

test('a forced import makes a parsed library an imported one, without its source settings', async () => {
  await install.git.create('was/parsed', { files: { 'README.md': page('Guide', 'The lever is parsed.') } })
  await install.parse('was/parsed', { excludeFolders: ['old'] })
  expect((await send([library('/was/parsed', 'x')])).skipped).toEqual([{ project: '/was/parsed', reason: 'already exists' }])
  await send([{ ...library('/was/parsed', 'The lever is imported.'), docsRepoUrl: 'javascript:alert(1)' }], true)
  await idle()
  expect((await install.call('GET', '/api/projects/was/parsed')).body).toMatchObject({
    imported: true,
    title: 'Docs',
    sourceUrl: '',
  })
  expect(install.app.catalog.settings({ owner: 'was', repo: 'parsed' })).toEqual({})
  expect(await install.context('/was/parsed', 'lever')).toContain('The lever is imported.')
})

test('a forced import removes versions that are not in its bundle when the new content is served', async () => {
  const old = ['', '@v1', '@v2', '@v3'].map((version) => library(`/drops/old${version}`, `The lever is old${version}.`))
  await send([...old, library('/drops/older', 'x'), library('/drops/older@v1', 'The lever stays.')])
  await idle()
  const versions = async () => (await install.call('GET', '/api/projects/drops/old')).body.versions
  const again = [library('/drops/old', 'The lever is new.'), library('/Drops/old@v2', 'The lever is two.')]
  expect(await send(again)).not.toHaveProperty('removed')
  beforeFinish = () => Promise.reject(new Error('No space left on device'))
  expect(await send(again, true)).toMatchObject({ removed: ['/drops/old@v1', '/drops/old@v3'] })
  await idle()
  expect(await versions()).toEqual(['v1', 'v2', 'v3'])
  const go = held()
  expect(await send(again, true)).toMatchObject({ removed: ['/drops/old@v1', '/drops/old@v3'] })
  expect(await install.context('/drops/old@v1', 'lever')).toContain('The lever is old@v1.')
  expect(await install.context('/drops/old', 'lever')).toContain('The lever is old.')
  go()
  await idle()
  expect(await install.context('/drops/old', 'lever')).toContain('The lever is new.')
  expect(await install.context('/drops/old@v1', 'lever')).toContain('tag_not_found')
  expect(await install.context('/drops/older@v1', 'lever')).toContain('The lever stays.')
})

test('a forced import keeps the versions that are in its bundle but are skipped', async () => {
  const versions = async () => (await install.call('GET', '/api/projects/keeps/versions')).body.versions
  await send(['', '@v1', '@v2'].map((version) => library(`/keeps/versions${version}`, 'x')))
  await idle()
  const malformed = { project: '/Keeps/versions/v1', codeSnippets: [], infoSnippets: [{ content: 1 }] }
  const answer = await send([library('/keeps/versions', 'x'), malformed], true)
  expect(answer).toMatchObject({ skipped: [{ project: '/Keeps/versions/v1' }], removed: ['/keeps/versions@v2'] })
  await idle()
  expect(await versions()).toEqual(['v1'])
})

test('a forced import removes nothing if a part of its bundle has no readable id', async () => {
  await send(['', '@v1'].map((version) => library(`/keeps/all${version}`, 'x')))
  await idle()
  for (const unnamed of [7, { ...library('keeps all', 'x') }, { codeSnippets: [], infoSnippets: [] }]) {
    const answer = await send([library('/keeps/all', 'x'), unnamed as object], true)
    expect(answer).not.toHaveProperty('removed')
    expect(answer).toMatchObject({
      message: expect.stringMatching(/Old versions are kept, because the id of ".+" cannot be read\./),
    })
    await idle()
  }
  expect((await install.call('GET', '/api/projects/keeps/all')).body.versions).toEqual(['v1'])
})

test('each import is in the audit log with its caller', async () => {
  await send([library('/audit/one', 'x'), library('/audit/two', 'y')])
  expect(install.app.audit.list(1, 2).entries).toMatchObject([
    { actor: 'key admin', action: 'library.import', subject: '/audit/two' },
    { actor: 'key admin', action: 'library.import', subject: '/audit/one' },
  ])
  await idle()
})

test('exact copies in a bundle are stored once', async () => {
  const [info] = snippetsOf('The lever turns.').infoSnippets
  await send([
    { project: '/copies/docs', codeSnippets: [], infoSnippets: [info, info, { ...info, content: 'The wheel turns.' }] },
  ])
  await idle()
  expect((await install.call('GET', '/api/projects/copies/docs')).body).toMatchObject({ totalSnippets: 2 })
})

test('an import takes over the thread of the import before', async () => {
  await send([library('/threads/first', 'The lever turns.')])
  await idle()
  const threads = countThreads()
  await send([library('/threads/second', 'The pulley lifts.')])
  await idle()
  expect(await install.context('/threads/second', 'pulley')).toContain('The pulley lifts.')
  expect(threads()).toBe(0)
})
