import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestInstall } from '../../fixtures/test-install.ts'
import { listedWidgets, widgetsInstall } from '../../fixtures/widgets-install.ts'

let app: TestInstall

beforeAll(async () => {
  app = await widgetsInstall()
  await app.git.create('zoo/Bears', { files: { 'README.md': '# A zoo of bears\n\nBears eat honey.\n' } })
  await app.parse('zoo/Bears')
})
afterAll(() => app.close())

const page = async (query: string) => {
  const { body } = await app.json(`/api/projects?${query}`)
  const { projects, tags, ...rest } = body as {
    projects: { id: string }[]
    total: number
    page: number
    pageSize: number
    tags: string[]
  }
  expect(tags).toEqual([])
  return { ids: projects.map(({ id }) => id), ...rest }
}
const get = (id: string) => app.json(`/api/projects/${id}`)
const refusal = (error: string, message: string) => ({
  error,
  message,
  ...(error === 'validation_error' && { fields: expect.any(Array) }),
})

test('a listed library has its source and the fields of a search', async () => {
  const { status, body } = await get('acme/widgets')
  expect(status).toBe(200)
  expect(body).toEqual({
    ...listedWidgets,
    commitDate: '2023-11-14T22:13:20.000Z',
    lastUpdateDate: '2023-11-14T22:13:20.000Z',
    totalTokens: expect.any(Number),
    sourceUrl: `${app.git.url}/acme/widgets`,
    commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    imported: false,
    private: false,
    generated: false,
    codeLanguage: 'TypeScript',
    tags: [],
    lastReadAt: expect.stringMatching(/^20\d\d-/),
    lastCheckedAt: expect.stringMatching(/^20\d\d-/),
    lastChangedAt: expect.stringMatching(/^20\d\d-/),
    nextCheckAt: expect.stringMatching(/^20\d\d-/),
    stale: false,
    lastReport: expect.any(Number),
  })
})

test.each([
  ['', { ids: ['/acme/widgets', '/zoo/Bears'], total: 2, page: 1, pageSize: 50 }],
  ['order=desc', { ids: ['/zoo/Bears', '/acme/widgets'], total: 2, page: 1, pageSize: 50 }],
  ['sort=title', { ids: ['/zoo/Bears', '/acme/widgets'], total: 2, page: 1, pageSize: 50 }],
  ['sort=updated&order=desc', { ids: ['/acme/widgets', '/zoo/Bears'], total: 2, page: 1, pageSize: 50 }],
  ['sort=snippets', { ids: ['/zoo/Bears', '/acme/widgets'], total: 2, page: 1, pageSize: 50 }],
  ['sort=tokens&order=desc', { ids: ['/acme/widgets', '/zoo/Bears'], total: 2, page: 1, pageSize: 50 }],
  ['q=BEARS', { ids: ['/zoo/Bears'], total: 1, page: 1, pageSize: 50 }],
  ['q=small%20widgets', { ids: ['/acme/widgets'], total: 1, page: 1, pageSize: 50 }],
  ['origin=parsed&state=finalized', { ids: ['/acme/widgets', '/zoo/Bears'], total: 2, page: 1, pageSize: 50 }],
  ['origin=imported', { ids: [], total: 0, page: 1, pageSize: 50 }],
  ['state=processing', { ids: [], total: 0, page: 1, pageSize: 50 }],
  ['state=error&q=bears', { ids: [], total: 0, page: 1, pageSize: 50 }],
  ['q=nothing', { ids: [], total: 0, page: 1, pageSize: 50 }],
  ['pageSize=1&page=2', { ids: ['/zoo/Bears'], total: 2, page: 2, pageSize: 1 }],
  ['page=9', { ids: [], total: 2, page: 9, pageSize: 50 }],
  ['pageSize=200&page=1000000', { ids: [], total: 2, page: 1_000_000, pageSize: 200 }],
])('the list of "%s" has these libraries in this order', async (query, expected) => {
  expect(await page(query)).toEqual(expected)
})

test('the cached order of the list follows a change', async () => {
  await app.git.create('zoo/Ants', { files: { 'README.md': '# Ants\n\nAnts eat sugar.\n' } })
  expect((await page('sort=title&order=desc')).ids).toEqual(['/acme/widgets', '/zoo/Bears'])
  await app.parse('zoo/Ants')
  expect((await page('sort=title&order=desc')).ids).toEqual(['/acme/widgets', '/zoo/Ants', '/zoo/Bears'])
  app.app.catalog.remove({ owner: 'zoo', repo: 'Ants' })
  expect((await page('sort=title&order=desc')).ids).toEqual(['/acme/widgets', '/zoo/Bears'])
})

test.each([
  ['page=0', 'page must be a whole number from 1 to 1000000.'],
  ['page=abc', 'page must be a whole number from 1 to 1000000.'],
  ['pageSize=201', 'pageSize must be a whole number from 1 to 200.'],
  ['pageSize=', 'pageSize must be a whole number from 1 to 200.'],
  ['sort=stars', 'sort must be one of id, title, updated, snippets, tokens.'],
  ['order=up', 'order must be one of asc, desc.'],
  ['q=a&q=b', 'q must be given only once.'],
  [`q=${'x'.repeat(501)}`, 'q must not be longer than 500 characters.'],
])('the list of "$0" is rejected', async (query, message) => {
  expect(await app.json(`/api/projects?${query}`)).toEqual({ status: 400, body: refusal('validation_error', message) })
})

test.each([
  'acme/widgets',
  'acme%2Fwidgets',
  '%2Facme%2Fwidgets',
  '/acme/widgets',
  'ACME/Widgets',
  'acme/widgets@v1.0.0',
  'acme/widgets/v1.0.0',
  'acme/widgets/',
  'acme/widgets%2F',
])('the path /api/projects/%s returns the library', async (id) => {
  expect(await get(id)).toMatchObject({ status: 200, body: { id: '/acme/widgets' } })
})

test.each([
  ['acme/nothing', 404, 'library_not_found'],
  ['acme/widgets@v9', 404, 'tag_not_found'],
  ['acme', 400, 'invalid_library_id'],
  ['acme%252Fwidgets', 400, 'invalid_library_id'],
  ['acme/%2E%2E%2Fx', 400, 'invalid_library_id'],
  ['%FF/x', 404, 'library_not_found'],
  ['%00/%00', 400, 'invalid_library_id'],
])('the path /api/projects/%s returns %i %s', async (id, status, error) => {
  expect(await get(id)).toMatchObject({ status, body: { error } })
})

test('an unknown library cannot be refreshed or deleted', async () => {
  const unknown = { status: 404, body: refusal('library_not_found', '/acme/nothing is not in this install.') }
  expect(await app.json('/api/projects/acme/nothing/refresh', { method: 'POST', key: app.keys.member })).toEqual(unknown)
  expect(await app.json('/api/projects/acme/nothing', { method: 'DELETE', key: app.keys.admin })).toEqual(unknown)
})

test('an error repeats only the start of a long id, and an id above 500 characters is rejected', async () => {
  const asks = (id: string) => [
    get(id),
    app.json(`/api/projects/${id}/refresh`, { method: 'POST', key: app.keys.member }),
    app.json(`/api/projects/${id}`, { method: 'DELETE', key: app.keys.admin }),
  ]
  const unknown = refusal('library_not_found', `/a/${'b'.repeat(97)}… is not in this install.`)
  for (const answer of await Promise.all(asks(`a/${'b'.repeat(497)}`))) expect(answer).toEqual({ status: 404, body: unknown })
  const tooLong = refusal('validation_error', 'A library id must not be longer than 500 characters.')
  for (const answer of await Promise.all(asks(`a/${'b'.repeat(498)}`))) expect(answer).toEqual({ status: 400, body: tooLong })
})

test('refreshing a version refreshes its library, and an unknown version is rejected', async () => {
  const refresh = (id: string) => app.json(`/api/projects/${id}/refresh`, { method: 'POST', key: app.keys.member })
  expect(await refresh('acme/widgets@nope')).toEqual({
    status: 404,
    body: refusal('tag_not_found', '/acme/widgets has no version "nope"; there are: release~2.x, v1.0.0.'),
  })
  const { status, body } = await refresh('acme/widgets@v1.0.0')
  expect([status, body]).toEqual([202, expect.objectContaining({ project: '/acme/widgets' })])
  expect(await app.ended((body as { queueId: number }).queueId)).toMatchObject({ state: 'done' })
})

test.each(['acme/widgets', 'acme%2Fwidgets', '/acme/widgets'])('POST /api/projects/%s/refresh queues the library', async (id) => {
  const { status, body } = await app.json(`/api/projects/${id}/refresh`, { method: 'POST', key: app.keys.member })
  expect(status).toBe(202)
  expect(body).toEqual({ message: 'Refresh queued', project: '/acme/widgets', queueId: expect.any(Number), position: null })
  expect(await app.ended((body as { queueId: number }).queueId)).toMatchObject({ state: 'done' })
})

test('a refresh reads new commits with the settings of the parse', async () => {
  await app.git.commit('zoo/Bears', { files: { 'honey.md': '# Honey\n\nHoney is sweet.\n' } })
  const { body } = await app.json('/api/projects/zoo/Bears/refresh', { method: 'POST', key: app.keys.member })
  await app.ended((body as { queueId: number }).queueId)
  expect(await (await app.ask('/api/v2/context?libraryId=/zoo/bears&query=honey+sweet')).text()).toContain('Honey is sweet.')
})

test('a single version is deleted', async () => {
  expect(await app.json('/api/projects/acme/widgets@v1.0.0', { method: 'DELETE', key: app.keys.admin })).toEqual({
    status: 200,
    body: { message: '/acme/widgets@v1.0.0 is deleted.' },
  })
  expect(await get('acme/widgets@v1.0.0')).toMatchObject({ status: 404, body: { error: 'tag_not_found' } })
  expect(await get('acme/widgets')).toMatchObject({ status: 200, body: { versions: ['release~2.x'] } })
})

test('a deleted library is not found and leaves no content', async () => {
  const before = (await app.app.snippets.generations()).length
  expect(await app.json('/api/projects/zoo%2Fbears', { method: 'DELETE', key: app.keys.admin })).toMatchObject({ status: 200 })
  expect(await get('zoo/Bears')).toMatchObject({ status: 404, body: { error: 'library_not_found' } })
  expect(await app.json('/api/v2/context?libraryId=/zoo/Bears&query=honey')).toMatchObject({
    body: { error: 'library_not_found' },
  })
  expect(await app.json('/api/v2/libs/search?libraryName=bears')).toMatchObject({ body: { error: 'no_libraries_found' } })
  expect((await app.app.snippets.generations()).length).toBeLessThan(before)
})

test('the audit log names who deleted a library', () => {
  const { entries } = app.app.audit.list(1, 10, { q: 'library.delete' })
  expect(entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
    ['key admin', 'library.delete', '/zoo/bears'],
    ['key admin', 'library.delete', '/acme/widgets@v1.0.0'],
  ])
})

test('the list is filtered by origin and state', async () => {
  await app.git.create('zoo/Empty', { files: { 'code.bin': 'x' } })
  await app.git.create('zoo/Owls', { files: { 'README.md': '# Owls\n\nOwls eat mice.\n' } })
  await app.parse('zoo/Owls')
  const failed = await app.parse('zoo/Empty')
  expect((await page('state=error')).ids).toEqual(['/zoo/Empty'])
  expect((await page('state=finalized')).ids).not.toContain('/zoo/Empty')
  const open = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  app.git.misbehave('zoo/Owls', { kind: 'hold', until: open.promise, held: held.resolve })
  await app.call('POST', '/api/projects/zoo/Owls/refresh')
  await held.promise
  expect((await page('state=processing')).ids).toEqual(['/zoo/Owls'])
  app.git.misbehave('zoo/Owls')
  open.resolve()
  await expect.poll(async () => (await page('state=processing')).ids).toEqual([])
  expect((await get('zoo/Owls')).body).toMatchObject({ lastReport: Number(failed.id) + 1 })
  expect(await app.json('/api/projects?state=done')).toMatchObject({ status: 400, body: { error: 'validation_error' } })
})
