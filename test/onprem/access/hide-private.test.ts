import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type GitServer, startGitServer } from '../../fixtures/git-server.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let app: TestInstall
let gitlab: GitServer

const opened = {
  'permissions.requireMcpAuth': true,
  'permissions.anonymousParse': true,
  'permissions.anonymousRefresh': true,
  'permissions.anonymousDelete': true,
}

beforeAll(async () => {
  app = await testInstall()
  gitlab = await startGitServer()
  const files = { 'README.md': '# Words\n\nWords for those who may read them.\n' }
  await app.git.create('acme/secret', { files, tags: ['v1'], private: '*:sesame' })
  await app.git.create('acme/open', { files, tags: ['v1'] })
  await gitlab.create('acme/secret', { files })
  app.app.settings.change({ 'github.token': 'sesame' })
  for (const repo of ['acme/secret', 'acme/open']) await app.parse(repo, { versions: ['v1'] })
})
afterAll(async () => {
  await app.close()
  await gitlab.close()
})
beforeEach(() => {
  app.git.misbehave('acme/open')
  app.app.settings.change({ ...opened, 'github.baseUrl': app.git.url, 'github.token': 'sesame' })
})

const refresh = (id: string, key?: string) => app.json(`/api/projects/${id}/refresh`, { method: 'POST', key })
const remove = (id: string, key?: string) => app.json(`/api/projects/${id}`, { method: 'DELETE', key })
const keptBack = (id: string) => ({
  status: 401,
  body: {
    error: 'invalid_api_key',
    message: `/${id} is not in this install or not open to everyone: send a key of this install, "Authorization: Bearer carrel_op_…".`,
  },
})

test.each(['acme/nothing', 'acme/secret', 'ACME/Secret', 'acme/secret@v1', 'acme/secret@nope', 'acme/open@nope'])(
  'callers that may not see names get the same error for missing and private libraries: %s, without a request to the host',
  async (id) => {
    const before = app.git.requests.length
    for (const key of [undefined, 'ctx7sk-0123456789']) {
      expect(await refresh(id, key)).toEqual(keptBack(id))
      expect(await remove(id, key)).toEqual(keptBack(id))
    }
    expect(app.git.requests).toHaveLength(before)
    expect(app.app.catalog.find({ owner: 'acme', repo: 'secret' })?.versions).toEqual(['v1'])
  },
)

test('callers that may not see names do not get the address of a library whose host is private or gone', async () => {
  app.git.misbehave('acme/open', { kind: 'status', status: 404 })
  expect(await refresh('acme/open')).toEqual(keptBack('acme/open'))
  app.app.settings.change({ 'github.baseUrl': gitlab.url })
  expect(await refresh('acme/open')).toEqual(keptBack('acme/open'))
})

test('callers that may not see names get the advice to wait while a host is down, without its address', async () => {
  app.git.misbehave('acme/open', { kind: 'status', status: 503 })
  expect(await refresh('acme/open')).toEqual({
    status: 502,
    body: { error: 'provider_unavailable', message: 'The git host of /acme/open cannot be reached now. Try again later.' },
  })
})

test('callers that may not see names and parse a repository with an existing id do not get the address of the other', async () => {
  app.app.settings.change({ 'gitlab.baseUrl': gitlab.url })
  const body = { repoUrl: `${gitlab.url}/acme/secret` }
  const { status, body: queued } = await app.json('/api/parse', { method: 'POST', body })
  expect([status, queued]).toEqual([202, expect.objectContaining({ project: '/gitlab/acme~secret' })])
  expect(JSON.stringify(queued)).not.toContain(app.git.url)
  await app.ended((queued as { queueId: number }).queueId)
})

test('callers that may see names, with or without a key, get the tags', async () => {
  const tags = { status: 404, body: { error: 'tag_not_found', message: '/acme/secret has no version "nope"; there are: v1.' } }
  expect(await refresh('acme/secret@nope', app.keys.member)).toEqual(tags)
  app.app.settings.change({ 'permissions.requireMcpAuth': null })
  expect(await refresh('acme/secret@nope')).toEqual(tags)
  expect(await remove('acme/secret@nope')).toEqual(tags)
})

test('the permission settings still let everyone refresh and delete public libraries', async () => {
  const { status, body } = await refresh('acme/open')
  expect([status, body]).toEqual([202, expect.objectContaining({ project: '/acme/open' })])
  await app.ended((body as { queueId: number }).queueId)
  expect(await remove('acme/open')).toMatchObject({ status: 200 })
})

test('anonymous callers read private libraries unless requireMcpAuth is on', async () => {
  const ask = () => app.json('/api/v2/context?libraryId=/acme/secret/v1&query=words&type=json')
  expect(await ask()).toMatchObject({ status: 401 })
  app.app.settings.change({ 'permissions.requireMcpAuth': null })
  expect(await ask()).toMatchObject({ status: 200 })
  expect((await app.json('/api/projects/acme/secret')).body).toMatchObject({ private: true })
})
