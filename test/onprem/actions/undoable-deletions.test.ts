import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GitServer } from '../../fixtures/git-server.ts'
import { page } from '../../fixtures/page.ts'
import { prepareDir, type ServerProcess, startServer } from '../../fixtures/server-process.ts'
import { tablesIn } from '../../fixtures/tables-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

let app: TestInstall
let git: GitServer
beforeAll(async () => {
  app = await testInstall()
  git = app.git
  await git.create('acme/levers', { files: { 'README.md': page('Levers', 'The lever turns.') }, tags: ['v1'] })
  await git.create('acme/gears', { files: { 'README.md': page('Gears', 'The gear spins.') } })
  await app.parse('acme/gears')
})
afterAll(() => app.close())

const levers = '/api/projects/acme/levers'
const parseLevers = () => app.parse('acme/levers', { versions: ['v1'] })
const ask = 'libraryId=/acme/levers&query=lever'
/** Everything that names or reads the library. */
const paths = [
  levers,
  '/api/projects/acme/levers/pages',
  '/api/projects/acme/levers/source',
  `/api/v2/context?${ask}`,
  '/api/v2/libs/acme/levers/pages',
  '/api/v2/libs/metrics?libraryId=/acme/levers',
  '/api/v2/libs/search?libraryName=levers',
]
const statuses = () => Promise.all(paths.map(async (path) => (await app.ask(path, { key: app.keys.admin })).status))
const mcpQuestion = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'query-docs', arguments: { libraryId: '/acme/levers', query: 'lever' } },
}
const mcpHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const seen = async () => ({
  listed: ((await app.call('GET', '/api/projects')).body.projects as { id: string }[]).map(({ id }) => id),
  used: ((await app.call('GET', '/api/usage')).body.libraries as { libraryId: string }[]).map(({ libraryId }) => libraryId),
  answered: await (
    await app.ask('/mcp', { method: 'POST', key: app.keys.admin, headers: mcpHeaders, body: JSON.stringify(mcpQuestion) })
  ).text(),
})

test('a library that is deleted with undo is hidden everywhere, and comes back as it was', async () => {
  await parseLevers()
  await app.context('/acme/levers', 'lever')
  await until(async () => (await seen()).used.includes('/acme/levers'))
  expect((await seen()).answered).toContain('The lever turns.')
  const before = [await statuses(), await app.call('GET', levers), await app.context('/acme/levers', 'lever')]
  expect(before[0]).toEqual(paths.map(() => 200))
  const tables = await app.tables()

  expect(await app.call('DELETE', `${levers}?undo=60`)).toEqual({
    status: 200,
    body: { message: '/acme/levers is deleted.', undoSeconds: 60 },
  })
  expect(await statuses()).toEqual(paths.map(() => 404))
  const hidden = await seen()
  expect(hidden).toMatchObject({ listed: ['/acme/gears'], used: expect.not.arrayContaining(['/acme/levers']) })
  expect(hidden.answered).not.toContain('The lever turns')
  expect(await app.call('DELETE', levers)).toMatchObject({ status: 404 })
  expect(await app.json(`${levers}/restore`, { method: 'POST', key: app.keys.member })).toMatchObject({ status: 403 })

  expect(await app.call('POST', `${levers}/restore`)).toEqual({ status: 200, body: { message: '/acme/levers is back.' } })
  expect([await statuses(), await app.call('GET', levers), await app.context('/acme/levers', 'lever')]).toEqual(before)
  expect(await app.tables()).toEqual(tables)
  expect(app.app.audit.list(1, 2, { action: 'library' }).entries.map(({ action }) => action)).toEqual([
    'library.restore',
    'library.delete',
  ])
  expect(await app.call('POST', `${levers}/restore`)).toMatchObject({ status: 404, body: { error: 'not_found' } })
})

test('another caller cannot undo a deletion', async () => {
  await parseLevers()
  await app.call('DELETE', `${levers}?undo=60`)
  const { key } = app.app.keys.create({ name: 'other', role: 'admin' })
  expect(await app.json(`${levers}/restore`, { method: 'POST', key })).toMatchObject({
    status: 404,
    body: { message: 'The deletion of /acme/levers can no longer be undone. Add the library again.' },
  })
  expect(await app.call('POST', `${levers}/restore`)).toMatchObject({ status: 200 })
})

test('a deletion that nobody undoes removes the content after its seconds', async () => {
  await parseLevers()
  const own = app.app.catalog.versions({ owner: 'acme', repo: 'levers' }).map(({ generation }) => `${generation}.lance`)
  const tables = await app.tables()
  await app.call('DELETE', `${levers}?undo=1`)
  expect(await app.tables()).toEqual(tables)
  expect(tables).toEqual(expect.arrayContaining(own))
  await until(async () => !(await app.tables()).some((table) => own.includes(table)), 20)
  expect(await app.call('POST', `${levers}/restore`)).toMatchObject({ status: 404 })
  expect(app.app.catalog.hidden()).toEqual([])
  expect(app.app.catalog.versions({ owner: 'acme', repo: 'levers' })).toEqual([])
})

test('a library that is added again while its deletion can be undone is read anew', async () => {
  await parseLevers()
  await app.call('DELETE', `${levers}?undo=60`)
  expect(await app.parse('acme/levers')).toMatchObject({ state: 'done' })
  expect(await app.call('GET', levers)).toMatchObject({ status: 200, body: { versions: [] } })
  expect(await app.call('POST', `${levers}/restore`)).toMatchObject({ status: 404 })
  expect(await app.context('/acme/levers', 'lever')).toContain('The lever turns.')
})

test('a version that is deleted with undo is hidden, and a refresh does not bring it back', async () => {
  await parseLevers()
  const version = `${levers}@v1`
  await app.call('DELETE', `${version}?undo=60`)
  expect(await app.call('GET', version)).toMatchObject({ status: 404 })
  expect(await app.call('GET', `/api/v2/context?libraryId=/acme/levers/v1&query=lever`)).toMatchObject({ status: 404 })
  expect(await app.call('GET', levers)).toMatchObject({ body: { versions: [] } })
  await app.call('POST', `${version}/restore`)
  expect(await app.call('GET', levers)).toMatchObject({ body: { versions: ['v1'] } })
  await app.call('DELETE', `${version}?undo=60`)
  await app.refresh('acme/levers')
  expect(await app.call('GET', levers)).toMatchObject({ body: { versions: [] } })
})

test('a caller without a key deletes at once, also with undo', async () => {
  await parseLevers()
  app.app.settings.change({ 'permissions.anonymousDelete': true })
  expect(await app.json(`${levers}?undo=60`, { method: 'DELETE' })).toEqual({
    status: 200,
    body: { message: '/acme/levers is deleted.' },
  })
  app.app.settings.change({ 'permissions.anonymousDelete': null })
  expect(app.app.catalog.hidden()).toEqual([])
})

test('a server that is killed while a deletion can be undone deletes all of the library at its next start', async () => {
  const prepared = prepareDir(git.url)
  const first = await startServer(prepared)
  const parse = async ({ call, job }: ServerProcess, repo: string) => {
    const { body } = await call('POST', '/api/parse', { repoUrl: `${git.url}/${repo}` })
    await until(async () => (await job(Number(body.queueId))).finishedAt)
  }
  await parse(first, 'acme/gears')
  const gears = await tablesIn(prepared.dataDir)
  await parse(first, 'acme/levers')
  await first.call('DELETE', `${levers}?undo=60`)
  await first.call('DELETE', '/api/projects/acme/gears?undo=60')
  await first.call('POST', '/api/projects/acme/gears/restore')
  await first.kill()

  const second = await startServer(prepared)
  expect(await second.call('GET', levers)).toMatchObject({ status: 404 })
  expect(await second.context('/acme/gears', 'gear')).toContain('The gear spins.')
  await until(async () => (await tablesIn(prepared.dataDir)).join() === gears.join(), 20)
  await parse(second, 'acme/levers')
  expect(await second.context('/acme/levers', 'lever')).toContain('The lever turns.')
  await second.end()
})
