import { afterAll, beforeAll, expect, test } from 'vitest'
import { head } from '../../fixtures/bundle.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

let app: TestInstall
beforeAll(async () => {
  app = await testInstall()
  await app.git.create('acme/anvil', {
    files: {
      'README.md': page('Anvil', 'It weighs a pound.', 'Made of iron.'),
      'docs/old.md': page('Old', 'It is old.'),
      'docs/same.md': page('Same', 'It stays.'),
    },
    tags: ['v1.0', 'v1.10', 'v1.9'],
  })
  await app.git.commit('acme/anvil', {
    files: {
      'README.md': page('Anvil', 'It weighs a ton.', 'Made of iron.'),
      'docs/new.md': page('New', 'It is new.'),
      'docs/old.md': null,
    },
  })
  await app.parse('acme/anvil', { versions: ['v1.0'] })
})
afterAll(() => app.close())

test('the versions of a library are listed with their figures, commits and dates', async () => {
  const { status, body } = await app.json('/api/projects/acme/anvil/versions')
  expect(status).toBe(200)
  const figures = {
    commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    commitDate: expect.any(String),
    updatedAt: expect.any(String),
  }
  expect(body).toEqual({
    versions: [
      { version: '', ref: 'main', pages: 3, snippets: 4, tokens: expect.any(Number), ...figures },
      { version: 'v1.0', ref: 'v1.0', pages: 3, snippets: 4, tokens: expect.any(Number), ...figures },
    ],
  })
})

test('the pages that differ between two versions are listed, whichever is the newer', async () => {
  const { status, body } = await app.json('/api/projects/acme/anvil/changes?from=v1.0')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    changes: [
      { path: 'README.md', title: 'Anvil', change: 'changed' },
      { path: 'docs/new.md', change: 'added' },
      { path: 'docs/old.md', change: 'removed' },
    ],
    ...{ added: 1, removed: 1, changed: 1, unchanged: 1, total: 3 },
  })
  const back = await app.json('/api/projects/acme/anvil/changes?to=v1.0&pageSize=1&page=2')
  expect(back.body).toMatchObject({ changes: [{ path: 'docs/old.md', change: 'added' }], total: 3 })
  expect((await app.json('/api/projects/acme/anvil/changes?from=nope')).status).toBe(404)
})

test('the tags and branches of a repository are read from its host, tags by number', async () => {
  const { status, body } = await app.json('/api/projects/acme/anvil/remote-names', { key: app.keys.member })
  expect({ status, body }).toEqual({ status: 200, body: { tags: ['v1.10', 'v1.9', 'v1.0'], branches: ['main'], omitted: 0 } })
})

test('the tags of an imported library, and of a host that is no longer set, are not read, and the answer says why', async () => {
  await app.call('POST', '/api/import-libraries', {
    libraries: [
      {
        ...head({ project: '/evil/lib' }),
        codeSnippets: [],
        infoSnippets: [{ codeList: [], breadcrumb: 'Evil', content: 'Text', contentTokens: 1, pageId: 'a' }],
      },
    ],
  })
  await until(async () => (await app.json('/api/projects/evil/lib/pages')).status === 200)
  const imported = await app.json('/api/projects/evil/lib/remote-names', { key: app.keys.member })
  expect(imported).toMatchObject({ status: 400, body: { message: expect.stringContaining('imported') } })
  await app.call('PATCH', '/api/settings', { 'github.baseUrl': 'https://git.example' })
  const elsewhere = await app.json('/api/projects/acme/anvil/remote-names', { key: app.keys.member })
  expect(elsewhere).toMatchObject({ status: 400, body: { message: expect.stringContaining('git.hosts') } })
  await app.call('PATCH', '/api/settings', { 'github.baseUrl': app.git.url })
})
