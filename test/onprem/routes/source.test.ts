import { afterAll, beforeAll, expect, test } from 'vitest'
import { head } from '../../fixtures/bundle.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

let app: TestInstall
const path = '/api/projects/acme/anvil/source'

beforeAll(async () => {
  app = await testInstall()
  await app.git.create('acme/anvil', { files: { 'README.md': page('Old anvil', 'It weighs a pound.') }, tags: ['v1'] })
  await app.git.commit('acme/anvil', {
    files: {
      'docs/use.md': page('Use', 'Hit it with a hammer.', 'Hold it with tongs.'),
      'more/care.md': page('Care', 'Oil it in winter.', 'Dry it in spring.'),
    },
    tags: ['v2'],
  })
  await app.parse('acme/anvil', { versions: ['v1'], folders: [] })
})
afterAll(() => app.close())

const source = async () => (await app.json(path)).body
const titles = async (query = '') => {
  const { body } = await app.json(`/api/projects/acme/anvil/pages${query}`)
  return (body as { pages: { path: string }[] }).pages.map((each) => each.path).toSorted()
}

test('the settings of a parse are returned', async () => {
  expect(await source()).toEqual({
    repoUrl: `${app.git.url}/acme/anvil`,
    branch: null,
    versions: ['v1'],
    folders: [],
    excludeFolders: null,
    excludeFiles: null,
    languages: null,
    generateDocs: false,
    apiReference: false,
    tagRule: null,
    versionsByRule: [],
    flagged: 'mark',
    schedule: null,
  })
})

test('a change applies from the next refresh, though the commit is the same', async () => {
  const { status, body } = await app.call('PATCH', path, { folders: ['docs'], versions: ['v1', 'v2'] })
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { folders: ['docs'], message: expect.stringContaining('next refresh') },
  })
  expect(await titles()).toContain('more/care.md')
  const job = await app.refresh('acme/anvil')
  expect(job.state).toBe('done')
  expect(await titles()).toEqual(['README.md', 'docs/use.md'])
  expect(await titles('?version=v2')).toEqual(['README.md', 'docs/use.md'])
  expect(await titles('?version=v1')).toEqual(['README.md'])
  expect(await source()).toMatchObject({ folders: ['docs'], versions: ['v1', 'v2'] })
})

test('null restores a default, and other settings stay', async () => {
  await app.call('PATCH', path, { excludeFiles: ['use.md'] })
  await app.call('PATCH', path, { folders: null, repoUrl: `${app.git.url}/acme/anvil.git` })
  expect(await source()).toMatchObject({ folders: null, excludeFiles: ['use.md'] })
  await app.refresh('acme/anvil')
  expect(await titles()).toEqual(['README.md', 'more/care.md'])
})

test.each([
  [{}, 'body', 'at least one'],
  [{ folder: ['docs'] }, 'folder', 'folders'],
  [{ branch: '-x' }, 'branch', ''],
  [{ versions: ['v2'] }, 'versions', 'v1'],
  [{ repoUrl: 'https://github.com/acme/other' }, 'repoUrl', ''],
])('the change %j is rejected with the field', async (body, field, words) => {
  const before = await source()
  const answer = await app.call('PATCH', path, body)
  expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error', message: expect.stringContaining(words) } })
  if (field !== 'body') expect(answer.body.fields).toContainEqual({ path: field, message: expect.any(String) })
  expect(await source()).toEqual(before)
})

test('a change during a job is rejected, because the job stores its own settings', async () => {
  const open = Promise.withResolvers<void>()
  app.git.misbehave('acme/anvil', { kind: 'hold', until: open.promise, held: () => {} })
  const { queueId } = (await app.call('POST', '/api/projects/acme/anvil/refresh')).body
  const { status, body } = await app.call('PATCH', path, { folders: ['more'] })
  app.git.misbehave('acme/anvil')
  open.resolve()
  expect({ status, body }).toMatchObject({ status: 409, body: { error: 'job_active', project: '/acme/anvil' } })
  await until(async () => (await app.call('GET', `/api/jobs/${queueId}`)).body.state === 'done')
})

test('an imported library has no source, and the error explains that', async () => {
  const libraries = [{ ...head({ project: '/acme/gears', title: 'Gears' }), codeSnippets: [], infoSnippets: [info] }]
  await app.call('POST', '/api/import-libraries', { libraries })
  await until(async () => (await app.json('/api/projects/acme/gears/pages')).status === 200)
  for (const method of ['GET', 'PATCH'])
    expect(
      await app.call(method, '/api/projects/acme/gears/source', method === 'PATCH' ? { branch: 'main' } : undefined),
    ).toMatchObject({
      status: 400,
      body: { error: 'validation_error', message: expect.stringContaining('was imported') },
    })
})

const info = {
  codeList: [],
  breadcrumb: 'Gears',
  content: 'A gear turns.',
  contentTokens: 4,
  pageId: 'https://example.com/gears',
}
