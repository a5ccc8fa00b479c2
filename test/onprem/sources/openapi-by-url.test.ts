import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StaticSite, startStaticSite } from '../../fixtures/static-site.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

const document = (summary: string) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pet Store', version: '1' },
    paths: {
      '/pets': { get: { operationId: 'listPets', summary, responses: { 200: { description: 'A list of pets' } } } },
    },
  })

let install: TestInstall
let site: StaticSite
let other: StaticSite
beforeAll(async () => {
  install = await testInstall()
  site = await startStaticSite({ '/openapi.json': document('List all pets') })
  other = await startStaticSite({ '/openapi.json': document('Stolen') })
  install.app.settings.change({ 'sources.allowedHosts': [site.host] })
})
afterAll(async () => {
  await install.close()
  await site.close()
  await other.close()
})

const send = (body: object, key: string | undefined = install.keys.admin) =>
  install.json('/api/parse-openapi', { method: 'POST', ...(key !== undefined && { key }), body })
async function added(body: object) {
  const { status, body: answer } = await send(body)
  expect([status, answer]).toEqual([202, expect.anything()])
  return install.ended((answer as { queueId: number }).queueId)
}
const ask = async (id: string) =>
  (await install.json(`/api/v2/context?libraryId=${encodeURIComponent(id)}&query=pets&type=json`, { key: install.keys.admin }))
    .body as {
    infoSnippets: { breadcrumb: string; pageId: string }[]
  }

test('an OpenAPI document is added by its address, answers with that address, and follows it', async () => {
  const job = await added({ openApiUrl: `${site.url}/openapi.json`, projectTitle: 'Pet Store' })
  expect([job.error, job.project]).toEqual([null, '/openapi/pet-store'])
  const [snippet] = (await ask('/openapi/pet-store')).infoSnippets
  expect(snippet).toMatchObject({ breadcrumb: 'Pet Store > List all pets', pageId: `${site.url}/openapi.json` })

  const unchanged = await install.refresh('openapi/pet-store')
  expect([unchanged.state, unchanged.report?.filesRead]).toEqual(['done', 0])
  site.pages.set('/openapi.json', { headers: { 'content-encoding': 'gzip' }, body: gzipSync(document('List every pet')) })
  expect((await install.refresh('openapi/pet-store')).report?.filesRead).toBe(1)
  expect((await ask('/openapi/pet-store')).infoSnippets[0]?.breadcrumb).toBe('Pet Store > List every pet')
})

test('a document without a title in the request has its own title and description', async () => {
  const info = { title: 'Swagger for Birds', description: 'Birds and their nests.\n\nMore.', version: '1' }
  site.pages.set('/birds.json', { body: JSON.stringify({ ...JSON.parse(document('List birds')), info }) })
  const { project } = await added({ openApiUrl: `${site.url}/birds.json` })
  expect(project).toMatch(/^\/openapi\/127-0-0-1/)
  const listed = await install.json(`/api/projects${project}`, { key: install.keys.admin })
  expect(listed.body).toMatchObject({ title: 'Swagger for Birds', description: 'Birds and their nests.' })
  await added({ openApiUrl: `${site.url}/birds.json`, projectTitle: 'My Birds', description: 'Mine.' })
  const own = await install.json('/api/projects/openapi/my-birds', { key: install.keys.admin })
  expect(own.body).toMatchObject({ title: 'My Birds', description: 'Mine.' })
})

test('a failed first reading can be tried again', async () => {
  const { queueId } = (await send({ openApiUrl: `${site.url}/later.json`, projectTitle: 'Later' })).body as { queueId: number }
  const failed = await install.ended(queueId)
  expect([failed.state, failed.error]).toEqual(['failed', expect.stringContaining('responded with status 404')])
  site.pages.set('/later.json', { body: document('List later pets') })
  expect((await install.refresh('openapi/later')).state).toBe('done')
})

test('a host that the settings do not list gets no request', async () => {
  const { status, body } = await send({ openApiUrl: `${other.url}/openapi.json` })
  expect([status, body]).toMatchObject([400, { message: expect.stringContaining('sources.allowedHosts') }])
  site.pages.set('/moved.json', { status: 302, headers: { location: `${other.url}/openapi.json` } })
  const job = await added({ openApiUrl: `${site.url}/moved.json`, projectTitle: 'Moved' })
  expect([job.state, job.error]).toEqual(['failed', expect.stringContaining('sources.allowedHosts')])
  expect(other.requests).toEqual([])
})

test('a document that unpacks to more than the limit ends the job, and a page is no document', async () => {
  site.pages.set('/bomb.json', { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(64 * 2 ** 20, ' ')) })
  const bomb = await added({ openApiUrl: `${site.url}/bomb.json`, projectTitle: 'Bomb' })
  expect([bomb.state, bomb.error]).toEqual(['failed', expect.stringContaining('is larger than 10 MB')])
  site.pages.set('/page', { body: '<h1>Pet store</h1>' })
  const page = await added({ openApiUrl: `${site.url}/page`, projectTitle: 'Page' })
  expect([page.state, page.error]).toEqual(['failed', expect.stringContaining('is not an OpenAPI document')])
})

test('an address without a key is refused even if anonymous callers may add repositories', async () => {
  install.app.settings.change({ 'permissions.anonymousParse': true })
  const response = await fetch(`${install.url}/api/parse-openapi`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ openApiUrl: `${site.url}/openapi.json` }),
  })
  expect(response.status).toBe(403)
})

test('an address with a user name, and a field that does not exist, are refused', async () => {
  const { status } = await send({ openApiUrl: 'http://admin:secret@127.0.0.1/openapi.json' })
  expect(status).toBe(400)
  expect((await send({ openApiUrl: `${site.url}/openapi.json`, title: 'x' })).status).toBe(400)
})
