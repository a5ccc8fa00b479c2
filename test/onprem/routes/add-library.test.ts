import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { snippetsOf } from '../../fixtures/imports.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
const switches = ['anonymousParse', 'anonymousRefresh', 'requireMcpAuth']
const turn = (...on: string[]) =>
  app.app.settings.change(Object.fromEntries(switches.map((each) => [`permissions.${each}`, on.includes(each)])))

beforeAll(async () => {
  app = await testInstall()
  const files = { 'README.md': '# Widgets\n\nTurn the lever.\n' }
  for (const repo of ['acme/widgets', 'acme/gadgets', 'acme/gears']) await app.git.create(repo, { files })
  await app.git.commit('acme/gears', { files: { 'README.md': '# Gears\n\nTurn the wheel.\n' }, branch: 'next' })
  await app.git.create('acme/hidden', { files, private: '*:sesame' })
})
afterAll(() => app.close())
beforeEach(() => {
  turn()
})

const post = (path: string, body: Record<string, unknown>, key: string | undefined = app.keys.member) =>
  app.json(path, { method: 'POST', body, key })
const add = (repo: string, more: Record<string, unknown> = {}, key?: string) =>
  post('/api/v2/add/repo/github', { docsRepoUrl: `${app.git.url}/${repo}`, ...more }, key)
const refresh = (libraryName: string, more: Record<string, unknown> = {}, key?: string) =>
  post('/api/v1/refresh', { libraryName, ...more }, key)
const idle = () => vi.waitFor(() => expect(app.app.jobs.active()).toEqual([]), { timeout: 60_000, interval: 20 })
const context = async (libraryId: string, query: string) =>
  (await app.ask(`/api/v2/context?${new URLSearchParams({ libraryId, query })}`)).text()

test('a library is added, searched and refreshed', async () => {
  expect(await add('acme/widgets')).toEqual({
    status: 200,
    body: { libraryName: '/acme/widgets', message: '/acme/widgets is being added.' },
  })
  await idle()
  expect(await context('/acme/widgets', 'turn the lever')).toContain('lever')
  await app.git.commit('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the crank.\n' } })
  expect(await refresh('/Acme/Widgets')).toMatchObject({
    status: 200,
    body: { message: expect.stringContaining('/acme/widgets is being refreshed') },
  })
  await idle()
  expect(await context('/acme/widgets', 'turn the crank')).toContain('crank')
  expect(await add('acme/widgets')).toMatchObject({ status: 409, body: { error: 'duplicate_repo' } })
})

test('a private repository is added with the stored token, only with a key', async () => {
  app.app.settings.change({ 'github.token': 'sesame' })
  turn('anonymousParse')
  expect(await add('acme/hidden', { private: true }, '')).toMatchObject({ status: 401, body: { error: 'invalid_api_key' } })
  expect(await add('acme/hidden', { private: true })).toMatchObject({ status: 200 })
  await idle()
  expect(await context('/acme/hidden', 'turn the lever')).toContain('lever')
})

test('callers that may parse can choose a branch', async () => {
  await add('acme/gears')
  await idle()
  turn('anonymousRefresh')
  expect(await refresh('/acme/gears', { branch: 'next' }, '')).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  turn('anonymousRefresh', 'anonymousParse')
  expect(await refresh('/acme/gears', { branch: 'next' }, '')).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  expect(await refresh('/acme/gears', {}, '')).toMatchObject({ status: 200 })
  await idle()
  expect(await context('/acme/gears', 'turn the lever')).toContain('lever')
  expect(await refresh('/acme/gears', { branch: 'next' })).toMatchObject({ status: 200 })
  await idle()
  expect(await context('/acme/gears', 'turn the wheel')).toContain('wheel')
  await refresh('/acme/gears')
  await idle()
  expect(await context('/acme/gears', 'turn the wheel')).toContain('wheel')
})

test('callers that may not read do not learn which libraries exist', async () => {
  turn('anonymousParse', 'anonymousRefresh', 'requireMcpAuth')
  await add('acme/gadgets')
  await idle()
  expect(await add('acme/gadgets', {}, '')).toMatchObject({ status: 200 })
  await idle()
  const none = await refresh('/acme/none', {}, '')
  expect(none).toMatchObject({ status: 401, body: { error: 'invalid_api_key' } })
})

test('parsing over an imported library requires force, also from an admin', async () => {
  const files = { 'README.md': '# Bundled\n\nTurn the lever by hand.\n' }
  await app.git.create('acme/bundled', { files })
  const element = { project: '/acme/bundled', ...snippetsOf('The pulley was imported.') }
  await post('/api/import-libraries', { libraries: [element] })
  await idle()
  const refused = {
    status: 409,
    body: {
      error: 'duplicate_repo',
      message: '/acme/bundled was imported. Add it with force to replace the imported content with that of its repository.',
    },
  }
  const repoUrl = `${app.git.url}/acme/bundled`
  expect(await post('/api/parse', { repoUrl }, app.keys.admin)).toEqual(refused)
  expect(await post('/api/parse', { repoUrl, versions: ['main'] }, app.keys.admin)).toEqual(refused)
  expect(await add('acme/bundled')).toEqual(refused)
  expect(app.app.jobs.active()).toEqual([])
  expect(await context('/acme/bundled', 'the pulley')).toContain('pulley')
  expect(await post('/api/parse', { repoUrl, force: true })).toMatchObject({ status: 202 })
  await idle()
  expect(await context('/acme/bundled', 'the lever')).toContain('lever by hand')
})

test.each([
  ['a token', '/api/v1/refresh', { libraryName: '/acme/widgets', gitToken: 'x' }, 400, 'validation_error'],
  ['a library that is not here', '/api/v1/refresh', { libraryName: '/acme/none' }, 404, 'library_not_found'],
  ['no id', '/api/v1/refresh', { libraryName: 'acme' }, 400, 'invalid_library_id'],
  ['another host', '/api/v2/add/repo/github', { docsRepoUrl: 'https://example.com/a/b' }, 400, 'validation_error'],
  ['the path of another host', '/api/v2/add/repo/gitlab', { docsRepoUrl: 'URL/acme/gadgets' }, 400, 'validation_error'],
  ['no address', '/api/v2/add/repo/github', {}, 400, 'validation_error'],
])('a request with %s is rejected', async (_what, path, body, status, error) => {
  const sent = JSON.parse(JSON.stringify(body).replaceAll('URL/', `${app.git.url}/`))
  expect(await post(path, sent)).toMatchObject({ status, body: { error } })
})
