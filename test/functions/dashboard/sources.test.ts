import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Teamspace } from '../../../functions/access/teamspaces.ts'
import { type ConnectProxy, startConnectProxy } from '../../fixtures/connect-proxy.ts'
import { type StaticSite, startStaticSite } from '../../fixtures/static-site.ts'
import { type Person, type TestDashboard, testDashboard } from '../../fixtures/test-dashboard.ts'

type Body = { message: string; fields?: unknown }

let dashboard: TestDashboard
let site: StaticSite
let proxy: ConnectProxy
let acme: Teamspace
let ann: Person

const pets = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Pet Store', version: '1' },
  paths: { '/pets': { get: { operationId: 'listPets', summary: 'List pets', responses: { 200: { description: 'Pets' } } } } },
})

beforeAll(async () => {
  site = await startStaticSite({ '/openapi.json?token=secret': pets })
  proxy = await startConnectProxy(site.url)
  dashboard = await testDashboard({
    allowedHosts: ['docs.example.com'],
    env: { ...process.env, HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '' },
  })
  acme = await dashboard.teamspace('Acme', { ann: 'admin' })
  ann = await dashboard.signIn('ann')
})
afterAll(async () => {
  await dashboard.close()
  await proxy.close()
  await site.close()
})

const at = (path: string) => `/api/teamspaces/${acme.id}${path}`

/** The repositories of the audit log. */
const audited = async () => (await dashboard.hosted.hosted.audit.list(acme.id)).flatMap(({ after }) => after?.repository ?? [])

async function upload(name: string, text: string, fields: Record<string, string> = {}) {
  const form = new FormData()
  form.append('openapiFile', new Blob([text]), name)
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  const path = `${dashboard.url}${at('/sources/openapi-upload')}`
  const headers = { cookie: ann.cookie, origin: dashboard.url }
  const answer = await fetch(path, { method: 'POST', headers, body: form })
  return { status: answer.status, body: (await answer.json()) as Body }
}

test.each([
  ['/sources/openapi', { openApiUrl: 'https://user:secret@docs.example.com/openapi.json' }],
  ['/sources/website', { websiteUrl: 'https://other.example.com/?token=secret' }],
  ['/libraries', { repoUrl: 'https://user:secret@github.com/acme/widgets' }],
])('an address that %s rejects is not in the audit log', async (path, body) => {
  expect((await ann.ask('POST', at(path), body)).status).toBe(400)
  expect(await audited()).toEqual([])
})

test('the audit log has addresses without their queries', async () => {
  const source = { openApiUrl: 'http://docs.example.com/openapi.json?token=secret' }
  expect((await ann.ask('POST', at('/sources/openapi'), source)).status).toBe(202)
  const repoUrl = `${dashboard.hosted.git.url}/acme/none?token=secret`
  expect((await ann.ask('POST', at('/libraries'), { repoUrl })).status).toBe(404)
  expect(await audited()).toEqual(['http://docs.example.com/openapi.json', `${dashboard.hosted.git.url}/acme/none`])
})

test('the audit log has the name of an uploaded file', async () => {
  expect(await upload('pets.json', pets)).toMatchObject({ status: 202 })
  expect(await audited()).toContain('pets.json')
})

test.each([4, 5])('a file of %i MB is too large for the dashboard, which names the page about the API', async (megabytes) => {
  const { status, body } = await upload('pets.json', pets.padEnd(megabytes * 2 ** 20 + 1))
  expect([status, body.message]).toEqual([
    413,
    expect.stringContaining(`The API takes up to 10 MB: see ${dashboard.url}/help/api-hosted.`),
  ])
})

test('the dashboard takes no id of an upload, which only the API can start', async () => {
  const { status, body } = await upload('pets.json', pets, { uploadId: '0123456789abcdef' })
  expect([status, body.message]).toEqual([400, expect.stringContaining('uploadId')])
})
