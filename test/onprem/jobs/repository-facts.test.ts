import { afterAll, beforeAll, expect, test } from 'vitest'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
const docs = (text: string) => ({ files: { 'README.md': page('Guide', text) } })
/** Written from docs.github.com/rest/repos/repos#get-a-repository on 2026-11-29, not recorded. */
const facts = (id: number, more: Record<string, unknown> = {}) => ({
  id,
  description: 'A lever',
  stargazers_count: 4321,
  license: { key: 'mit', name: 'MIT License', spdx_id: 'MIT' },
  topics: ['levers', 'docs'],
  archived: false,
  default_branch: 'main',
  ...more,
})

beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

const library = async (id: string) => (await app.call('GET', `/api/projects/${id}`)).body
const create = async (repo: string, about?: Record<string, unknown>) => {
  await app.git.create(repo, docs('The lever turns.'))
  if (about) app.git.describe(repo, about)
  return app.parse(repo)
}

test('a library has the facts that its host tells, with one request per refresh', async () => {
  await create('acme/known', facts(1))
  const repository = { topics: ['levers', 'docs'], archived: false, defaultBranch: 'main' }
  expect(await library('acme/known')).toMatchObject({ stars: 4321, license: 'MIT', repository })
  const { body } = await app.json('/api/v2/libs/search?libraryName=known')
  expect(body).toMatchObject({ results: [{ id: '/acme/known', stars: 4321, license: 'MIT' }] })
  const before = app.git.apiRequests.length
  await app.refresh('acme/known')
  expect(app.git.apiRequests.slice(before)).toEqual([{ path: '/api/v3/repos/acme/known' }])
})

test('a fact that the host does not tell is unknown, and a known one stays', async () => {
  await create('acme/silent')
  expect(await library('acme/silent')).toMatchObject({ stars: -1 })
  expect(await library('acme/silent')).not.toHaveProperty('license')
  await create('acme/odd', facts(2, { stargazers_count: 'many', license: { spdx_id: 'NOASSERTION' }, topics: 5 }))
  expect(await library('acme/odd')).toMatchObject({ stars: -1, repository: { archived: false } })
  expect(await library('acme/odd')).not.toHaveProperty('license')
  await create('acme/lost', facts(3))
  app.git.describe('acme/lost', { id: 'none' })
  await app.refresh('acme/lost')
  expect(await library('acme/lost')).toMatchObject({ stars: 4321, license: 'MIT' })
})

test('no API is asked while the setting is off', async () => {
  await app.call('PATCH', '/api/settings', { 'git.repositoryFacts': false })
  const before = app.git.apiRequests.length
  await create('acme/quiet', facts(4))
  await app.call('PATCH', '/api/settings', { 'git.repositoryFacts': null })
  expect(app.git.apiRequests.length).toBe(before)
  expect(await library('acme/quiet')).toMatchObject({ stars: -1 })
})

test('the stored token is sent to the API', async () => {
  await app.call('PATCH', '/api/settings', { 'github.token': 'ghp_0123456789abcdef' })
  await create('acme/tokened', facts(5))
  await app.call('PATCH', '/api/settings', { 'github.token': null })
  expect(app.git.apiRequests.at(-1)).toEqual({ path: '/api/v3/repos/acme/tokened', authorization: 'Bearer ghp_0123456789abcdef' })
})

test('a renamed repository is followed, and the library says its new id', async () => {
  await create('acme/before', facts(6))
  await app.git.rename('acme/before', 'acme/after')
  await app.git.commit('acme/after', { files: { 'README.md': page('Guide', 'The crank spins.') } })
  expect(await app.refresh('acme/before')).toMatchObject({ state: 'done' })
  expect(await app.context('/acme/before', 'crank')).toContain('The crank spins.')
  expect(await library('acme/before')).toMatchObject({ id: '/acme/before', movedTo: '/acme/after' })
  await app.refresh('acme/before')
  expect(await library('acme/before')).toMatchObject({ movedTo: '/acme/after' })
  expect(await app.context('/acme/before', 'crank')).toContain('Note: The repository of /acme/before is now /acme/after.')
})

test('a renamed repository is not followed when its host no longer redirects the old name', async () => {
  await create('acme/first', facts(10))
  await app.git.rename('acme/first', 'acme/second')
  await app.refresh('acme/first')
  await app.git.remove('acme/first')
  await app.git.create('acme/first', docs('The imposter sings.'))
  const job = await app.refresh('acme/first')
  expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining('no longer redirects the old name') })
  expect(await app.context('/acme/first', 'lever')).toContain('The lever turns.')
})

test('a foreign repository under the name of a library replaces nothing, unless that is forced', async () => {
  await create('acme/taken', facts(7))
  await app.git.remove('acme/taken')
  await app.git.create('acme/taken', docs('The imposter sings.'))
  app.git.describe('acme/taken', facts(8))
  const job = await app.refresh('acme/taken')
  expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining('is another repository than the one') })
  expect(await app.context('/acme/taken', 'lever')).toContain('The lever turns.')
  expect(await app.parse('acme/taken', { force: true })).toMatchObject({ state: 'done' })
  expect(await app.context('/acme/taken', 'imposter')).toContain('The imposter sings.')
})

test('a library whose repository was deleted keeps its content and says so', async () => {
  await create('acme/gone', facts(9))
  await app.git.remove('acme/gone')
  await app.refresh('acme/gone')
  expect(await library('acme/gone')).toMatchObject({ repository: { unavailable: expect.stringContaining('does not exist') } })
  expect(await app.context('/acme/gone', 'lever')).toContain('The lever turns.')
  await app.git.create('acme/gone', docs('The lever turns.'))
  await app.refresh('acme/gone')
  expect(JSON.stringify(await library('acme/gone'))).not.toContain('unavailable')
})
