import { afterAll, beforeAll, expect, test } from 'vitest'
import { rateLimits } from '../../../functions/access/rate-limits.ts'
import { createServer } from '../../../functions/server.ts'
import { readRequestLimits } from '../../../shared/settings/request-limits.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
beforeAll(async () => {
  hosted = await testHosted()
  await hosted.git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever of widgets.\n' } })
  await hosted.add('acme/widgets')
})
afterAll(() => hosted.close())

/** A server with these limits; each request comes from the address. */
function limited(limits: string, address = '203.0.113.9') {
  const counts = new Map<string, number>()
  const ports = {
    ...hosted.hosted,
    limits: readRequestLimits(limits),
    counts: {
      count: async ({ subject, window }: { subject: string; window: string }) => counts.get(subject + window) ?? 0,
      add: async ({ subject, window }: { subject: string; window: string }, more: number) => {
        counts.set(subject + window, (counts.get(subject + window) ?? 0) + more)
        return counts.get(subject + window) ?? 0
      },
    },
    salts: { saltOf: async () => new Uint8Array(32) },
    now: () => new Date('2030-06-01T12:00:10.000Z'),
  }
  const app = createServer({ ...hosted.hosted, rateLimits: rateLimits(ports) })
  return (path: string, { headers = {}, ...init }: RequestInit = {}) =>
    app.request(path, { ...init, headers: { host: '127.0.0.1', 'x-viewer-address': address, ...(headers as object) } })
}
const search = '/api/v2/libs/search?libraryName=widgets'
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

test.each([
  ['a search', search],
  ['a context', '/api/v2/context?libraryId=/acme/widgets&query=lever'],
])('%s above the limit is answered with 429, its headers, and CORS', async (_what, path) => {
  const ask = limited('{"anonymous":{"minute":2}}')
  expect([(await ask(path)).status, (await ask(path)).status]).toEqual([200, 200])
  const response = await ask(path)
  expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([429, 'rate_limit_exceeded'])
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'retry-after': '50',
    'ratelimit-limit': '2',
    'ratelimit-remaining': '0',
    'ratelimit-reset': expect.stringMatching(/^\d+$/),
    'access-control-expose-headers': expect.stringContaining('ratelimit-reset'),
    'cache-control': 'private, no-store',
  })
})

test('metrics above the limit are answered with 429, too', async () => {
  const { key } = await hosted.keyOf('Acme')
  const ask = limited('{"team":{"minute":1}}')
  const path = '/api/v2/libs/metrics?libraryId=/acme/widgets'
  expect((await ask(path, bearer(key))).status).not.toBe(429)
  const response = await ask(path, bearer(key))
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '50'])
})

test('guessed keys count for their address, and a valid key of the address does not', async () => {
  const ask = limited('{"anonymous":{"minute":2}}')
  const statuses: number[] = []
  for (let n = 0; n < 4; n++) statuses.push((await ask(search, bearer(`carrel_sk_${'0'.repeat(31)}${n}`))).status)
  expect(statuses).toEqual([401, 401, 429, 429])
  expect((await ask(search, bearer((await hosted.keyOf('Acme')).key))).status).toBe(200)
})

test('each call of an MCP batch counts, and a rejected call says why', async () => {
  const ask = limited('{"anonymous":{"minute":3}}')
  const call = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'query-docs', arguments: { libraryId: '/acme/widgets', query: 'lever' } },
  })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const response = await ask('/mcp', { method: 'POST', headers, body: JSON.stringify([1, 2, 3, 4, 5].map(call)) })
  const text = await response.text()
  expect(text.match(/Turn the lever/g)).toHaveLength(3)
  expect(text.match(/An address without a key may send 3 requests a minute/g)).toHaveLength(2)
  const next = await ask('/mcp', { method: 'POST', headers, body: JSON.stringify(call(6)) })
  expect([next.status, next.headers.get('retry-after'), await next.json()]).toMatchObject([429, '50', { jsonrpc: '2.0' }])
})

test('a teamspace may not add more libraries than its plan allows', async () => {
  const { key } = await hosted.keyOf('Acme')
  const ask = limited('{"team":{"adds":1}}')
  const refresh = () =>
    ask('/api/v1/refresh', {
      method: 'POST',
      headers: { ...bearer(key).headers, 'content-type': 'application/json' },
      body: '{"libraryName":"/acme/widgets"}',
    })
  expect((await refresh()).status).toBe(200)
  const response = await refresh()
  expect([response.status, response.headers.get('ratelimit-limit')]).toEqual([429, '1'])
})

test('health is not limited', async () => {
  const ask = limited('{"anonymous":{"minute":1}}')
  for (let n = 0; n < 3; n++) expect((await ask('/api/health')).status).toBe(200)
})
