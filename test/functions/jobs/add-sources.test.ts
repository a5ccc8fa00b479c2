import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ConnectProxy, startConnectProxy } from '../../fixtures/connect-proxy.ts'
import { type StaticSite, startStaticSite } from '../../fixtures/static-site.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
let site: StaticSite
let proxy: ConnectProxy
let key: string

const document = (summary: string) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pet Store', version: '1' },
    paths: { '/pets': { get: { operationId: 'listPets', summary, responses: { 200: { description: 'A list of pets' } } } } },
  })
const web = (title: string, text: string) => ({
  headers: { 'content-type': 'text/html' },
  body: `<html><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`,
})

beforeAll(async () => {
  site = await startStaticSite({
    '/openapi.json': document('List all pets'),
    '/bad.json': '{"hello": "world"}',
    '/docs/': web('Birds', 'The swallow carries <a href="owls">coconuts</a> from here to the coast in the summer months.'),
    '/docs/owls': web('Owls', 'Owls sleep in the hollow of an old oak, and they wake up when the sun goes down.'),
    '/docs/llms.txt': '# Birds\n\n> About birds.\n\n- [Owls](https://docs.example.com/docs/owls.md)\n',
    '/docs/owls.md': '# Owls\n\nOwls sleep in the hollow of an old oak.\n',
  })
  // The names of the internet lead to the site, so that the rules for addresses are those of a stage.
  proxy = await startConnectProxy(site.url)
  hosted = await testHosted({
    allowedHosts: ['docs.example.com', 'api.example.com', '127.0.0.1', '[::1]'],
    env: { ...process.env, HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '' },
  })
  key = (await hosted.keyOf('Acme')).key
})
afterAll(async () => {
  await hosted.close()
  await proxy.close()
  await site.close()
})

async function add(kind: string, body: unknown, bearer = key) {
  const answer = await hosted.post(`/api/v2/add/${kind}`, body, { authorization: `Bearer ${bearer}` })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function ended(library: string) {
  let progress = {}
  await vi.waitFor(async () => {
    progress = await hosted.run('progress', { library })
    expect(progress).toMatchObject({ active: false })
  }, 60_000)
  return progress
}

const ask = async (libraryId: string, query: string) =>
  (await hosted.get(`/api/v2/context?${new URLSearchParams({ libraryId, query })}`)).text()

const record = (owner: string, repo: string) => hosted.hosted.catalog.record({ owner, repo })

test('an OpenAPI document is added by its address, and a refresh reads it again', async () => {
  const added = await add('openapi', { openApiUrl: 'http://api.example.com/openapi.json' })
  expect(added).toMatchObject({ status: 200, body: { libraryName: '/openapi/api-example-com' } })
  expect(await ended('/openapi/api-example-com')).toMatchObject({ state: 'finalized', error: null })
  const answer = await ask('/openapi/api-example-com', 'pets')
  expect(answer).toContain('List all pets')
  expect(answer).toContain('Source: http://api.example.com/openapi.json')
  site.pages.set('/openapi.json', { body: document('List every pet') })
  const refresh = (body: object) => hosted.post('/api/v1/refresh', body, { authorization: `Bearer ${key}` })
  expect((await refresh({ libraryName: '/openapi/api-example-com' })).status).toBe(200)
  await ended('/openapi/api-example-com')
  expect(await ask('/openapi/api-example-com', 'pets')).toContain('List every pet')
  const branched = await refresh({ libraryName: '/openapi/api-example-com', branch: 'main' })
  expect([branched.status, ((await branched.json()) as { error: string }).error]).toEqual([403, 'forbidden'])
  expect((await record('openapi', 'api-example-com'))?.library).toMatchObject({
    title: 'Pet Store',
    source: 'OpenAPI',
    sourceUrl: 'http://api.example.com/openapi.json',
    sourceType: 'websites',
    domain: 'api.example.com',
    private: false,
  })
})

test('a website is read below its base address', async () => {
  const websiteUrl = 'http://docs.example.com/docs/'
  const outside = await add('website', { websiteUrl, websiteBaseUrl: 'http://docs.example.com/blog/' })
  expect(outside).toMatchObject({ status: 400, body: { fields: [{ path: 'websiteBaseUrl' }] } })
  const added = await add('website', { websiteUrl, websiteBaseUrl: websiteUrl })
  expect(added).toMatchObject({ status: 200, body: { libraryName: '/websites/docs-example-com-docs' } })
  expect(await ended('/websites/docs-example-com-docs')).toMatchObject({ state: 'finalized', error: null })
  const answer = await ask('/websites/docs-example-com-docs', 'where do owls sleep')
  expect(answer).toContain('hollow of an old oak')
  expect(answer).toContain('Source: http://docs.example.com/docs/owls')
  expect((await record('websites', 'docs-example-com-docs'))?.library).toMatchObject({
    source: 'Website',
    sourceType: 'websites',
  })
  const exported = await hosted.hosted.catalog.exportable({ owner: 'websites', repo: 'docs-example-com-docs' })
  expect(exported?.facts).toMatchObject({ type: 'website', docsRepoUrl: websiteUrl })
})

test('an llms.txt is read with the pages that it names', async () => {
  site.pages.set('/docs/llms.txt', { body: '# Birds\n\n> About birds.\n\n- [Owls](http://docs.example.com/docs/owls.md)\n' })
  const added = await add('llmstxt', { llmstxtUrl: 'http://docs.example.com/docs/llms.txt' })
  expect(added).toMatchObject({ status: 200, body: { libraryName: '/llmstxt/docs-example-com-docs' } })
  expect(await ended('/llmstxt/docs-example-com-docs')).toMatchObject({ state: 'finalized', error: null })
  expect(await ask('/llmstxt/docs-example-com-docs', 'where do owls sleep')).toContain('hollow of an old oak')
})

test('a source that exists is reported, and is in the list of the other teamspace, too', async () => {
  const { key: other } = await hosted.keyOf('Others')
  expect((await add('openapi', { openApiUrl: 'http://docs.example.com/openapi.json' })).status).toBe(200)
  await ended('/openapi/docs-example-com')
  const again = await add('openapi', { openApiUrl: 'http://docs.example.com/openapi.json' }, other)
  expect(again).toMatchObject({ status: 409, body: { error: 'duplicate_repo', project: '/openapi/docs-example-com' } })
  const { id = '' } = (await hosted.hosted.teamspaces.find('Others')) ?? {}
  expect(await hosted.hosted.teamspaces.owned(id)).toEqual(['/openapi/docs-example-com'])
  site.pages.set('/swagger.json', { body: document('List all pets') })
  const clash = await add('openapi', { openApiUrl: 'http://docs.example.com/swagger.json' })
  expect(clash).toMatchObject({
    status: 409,
    body: {
      error: 'duplicate_repo',
      message: expect.stringMatching(
        /from http:\/\/docs\.example\.com\/openapi\.json\. http:\/\/docs\.example\.com\/swagger\.json/,
      ),
    },
  })
})

test('a document that is no OpenAPI is not served, and its library can be tried again', async () => {
  expect((await add('openapi', { openApiUrl: 'http://docs.example.com/bad.json' })).status).toBe(200)
  expect(await ended('/openapi/docs-example-com-bad')).toMatchObject({
    state: 'error',
    error: expect.stringContaining('is not an OpenAPI document'),
  })
  site.pages.set('/bad.json', { body: document('List good pets') })
  expect((await add('openapi', { openApiUrl: 'http://docs.example.com/bad.json' })).status).toBe(200)
  expect(await ended('/openapi/docs-example-com-bad')).toMatchObject({ state: 'finalized' })
})

test('a source that the operator took down is not added again', async () => {
  await hosted.run('optOut', { library: '/openapi/docs-example-com-bad', reason: 'A letter.' })
  expect(await add('openapi', { openApiUrl: 'http://docs.example.com/bad.json' })).toMatchObject({
    status: 403,
    body: { error: 'forbidden' },
  })
})

test.each([
  ['openapi', 'openApiUrl', 'http://other.example.com/openapi.json', 400, 'The operator of the service chooses'],
  ['openapi', 'openApiUrl', 'http://docs.example.com:8080/openapi.json', 400, 'is not among the hosts'],
  ['website', 'websiteUrl', 'http://127.0.0.1/docs/', 400, 'never asked'],
  ['website', 'websiteUrl', 'http://[::1]/docs/', 400, 'never asked'],
  ['website', 'websiteUrl', 'http://169.254.169.254/latest/meta-data/', 400, 'never asked'],
  ['website', 'websiteUrl', 'ftp://docs.example.com/', 400, 'must begin with https://'],
  ['website', 'websiteUrl', 'http://user:word@docs.example.com/', 400, 'user name or password'],
  ['llmstxt', 'llmstxtUrl', 'http://docs.example.com/robots.txt', 400, 'must end with /llms.txt'],
  ['openapi', 'openApiUrl', 'http://docs.example.com/to-private', 400, 'never asked'],
  ['openapi', 'openApiUrl', 'http://docs.example.com/to-metadata', 400, 'never asked'],
  ['openapi', 'openApiUrl', 'http://docs.example.com/to-other', 400, 'is not among the hosts'],
  ['openapi', 'openApiUrl', 'http://docs.example.com/none.json', 404, 'status 404'],
])('%s at %s %s is rejected with %i, and adds no library', async (kind, field, url, status, message) => {
  const redirect = (location: string) => ({ status: 302, headers: { location } })
  site.pages.set('/to-private', redirect('http://127.0.0.1/openapi.json'))
  site.pages.set('/to-metadata', redirect('http://169.254.169.254/latest/meta-data/'))
  site.pages.set('/to-other', redirect('http://other.example.com/openapi.json'))
  const tunnels = proxy.tunnels.filter((tunnel) => !tunnel.startsWith('docs.example.com:80')).length
  const answer = await add(kind, { [field]: url })
  expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)])
  if (status === 400) expect(answer.body).toMatchObject({ error: 'validation_error', fields: [{ path: field }] })
  expect(proxy.tunnels.filter((tunnel) => !tunnel.startsWith('docs.example.com:80'))).toHaveLength(tunnels)
})

test('a page that redirects to a private address after it was added is not read', async () => {
  site.pages.set('/later.json', { body: document('List later pets') })
  expect((await add('openapi', { openApiUrl: 'http://docs.example.com/later.json' })).status).toBe(200)
  await ended('/openapi/docs-example-com-later')
  site.pages.set('/later.json', { status: 302, headers: { location: 'http://169.254.169.254/' } })
  await hosted.post('/api/v1/refresh', { libraryName: '/openapi/docs-example-com-later' }, { authorization: `Bearer ${key}` })
  expect(await ended('/openapi/docs-example-com-later')).toMatchObject({ error: expect.stringContaining('never asked') })
  expect(await ask('/openapi/docs-example-com-later', 'pets')).toContain('List later pets')
})

test('a key of the scope read adds no source', async () => {
  const { teamspaces } = hosted.hosted
  const { id = '' } = (await teamspaces.find('Acme')) ?? {}
  const reader = await teamspaces.createKey(id, { createdBy: 'test', role: 'admin', scope: 'read' })
  const answer = await add('website', { websiteUrl: 'http://docs.example.com/docs/' }, reader.key)
  expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden' } })
})
