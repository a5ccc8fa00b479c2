import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentPair } from '../../../shared/keys/development-pair.ts'
import { signLicense } from '../../../shared/keys/license.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
let offline: string

beforeAll(async () => {
  hosted = await testHosted()
  await hosted.git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever of widgets.\n' } })
  await hosted.add('acme/widgets')
  const claims = { id: 'l', customer: 'Example', kind: 'offline' as const, expiresAt: '2099-01-01T00:00:00.000Z' }
  offline = await signLicense(claims, developmentPair(hosted.dataDir, 'license').privatePem)
})
afterAll(() => hosted.close())

const noStore = 'private, no-store'

test('every response forbids caching, errors included', async () => {
  const document = (await (await hosted.get('/api/openapi.json')).json()) as { paths: Record<string, object> }
  const asked = Object.entries(document.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => [method, path]))
  expect(asked.length).toBeGreaterThan(8)
  for (const [method = '', path] of asked) {
    for (const authorization of ['', 'Bearer nonsense', `Bearer ${(await hosted.keyOf('Acme')).key}`]) {
      const answer = await fetch(`${hosted.url}/api${path}`, { method: method.toUpperCase(), headers: { authorization } })
      expect([method, path, answer.status, answer.headers.get('cache-control')]).toEqual([method, path, answer.status, noStore])
      await answer.body?.cancel()
    }
  }
})

const post = { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' } }

test.each([
  ['an answer in text', '/api/v2/context?libraryId=/acme/widgets&query=lever', {}, 200],
  ['an answer in JSON', '/api/v2/context?libraryId=/acme/widgets&query=lever&type=json', {}, 200],
  ['a search', '/api/v2/libs/search?libraryName=widgets', {}, 200],
  ['a parameter that is wrong', '/api/v2/context?libraryId=&query=lever', {}, 400],
  ['a route that does not exist', '/api/v2/nothing', {}, 404],
  ['a method that does not exist', '/api/health', { method: 'DELETE' }, 404],
  ['a preflight', '/api/v2/libs/search', { method: 'OPTIONS', headers: { origin: 'https://a.example' } }, 204],
  ['MCP', '/mcp', { ...post, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }, 200],
  ['a refused MCP request', '/mcp', { ...post, body: 'no JSON' }, 400],
  ['two different keys', '/api/v2/libs/search?libraryName=w', { headers: { authorization: 'a', 'x-api-key': 'b' } }, 400],
] as [string, string, RequestInit, number][])('the response to %s forbids caching', async (_what, path, init, status) => {
  const answer = await fetch(hosted.url + path, init)
  await answer.text()
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, noStore])
})

test('an export forbids caching', async () => {
  const answer = await hosted.post(
    '/api/v1/enterprise/export',
    { library: 'acme/widgets' },
    { authorization: `Bearer ${offline}` },
  )
  await answer.text()
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, noStore])
})

test('the responses to an invalid address and to another host forbid caching', async () => {
  for (const host of ['a b', 'elsewhere.example']) {
    const { hostname, port } = new URL(hosted.url)
    const socket = connect(Number(port), hostname)
    socket.write(`GET /api/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect((await text(socket)).toLowerCase()).toContain(`cache-control: ${noStore}`)
  }
})
