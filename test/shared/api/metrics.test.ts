import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { beforeEach, expect, test } from 'vitest'
import { dynamoCounters } from '../../../functions/dynamo/counters/dynamo-counters.ts'
import { describedRoutes } from '../../../shared/api/described-routes.ts'
import { type MetricsQuery, metricsFailures, metricsRoutes } from '../../../shared/api/metrics.ts'
import { AppError } from '../../../shared/errors.ts'
import { toHttp } from '../../../shared/http/to-http.ts'
import { printLibraryId } from '../../../shared/library.ts'
import { applyUsage } from '../../../shared/usage/apply-usage.ts'
import type { Counters } from '../../../shared/usage/counters.ts'
import { readMetrics } from '../../../shared/usage/read-metrics.ts'
import { failingLog, mcpEvent, placed, usageEvent } from '../../contracts/counters-events.ts'
import { testDynamo } from '../../fixtures/dynamo.ts'

const now = () => new Date('2026-11-21T13:00:00.000Z')
const anyone = createMiddleware((_, next) => next())

let counters: Counters
beforeEach(async () => {
  counters = dynamoCounters({ table: await testDynamo(), log: failingLog, now })
})

function appWith(gate = anyone) {
  const asked: MetricsQuery[] = []
  const metrics = (input: MetricsQuery, c: Context) => {
    asked.push(input)
    expect(c.req.path).toBe('/v2/libs/metrics')
    return readMetrics({ counters, now }, printLibraryId(input.libraryId), input.days)
  }
  const app = new Hono().use(metricsFailures).route('/', metricsRoutes({ metrics }, gate))
  app.onError((error, c) => {
    const { status, body } = toHttp(error)
    return c.json(body, status)
  })
  const get = async (query: string) => {
    const response = await app.request(`/v2/libs/metrics?${query}`)
    return { status: response.status, body: await response.json() }
  }
  return { get, asked, routes: app.routes }
}

test('the metrics of a library have exactly the fields of the contract', async () => {
  const events = [
    mcpEvent('ann', 'cursor', { topics: ['routing'], country: 'DE' }),
    mcpEvent('bob', 'codex', { topics: ['routing', 'cookies'] }),
    usageEvent({ surface: 'page', country: 'FR', at: '2026-11-20T10:00:00.000Z', version: 'v1' }),
  ]
  const records = placed(events).map(({ sequence, event }) => ({ sequence, data: Buffer.from(JSON.stringify(event)) }))
  await applyUsage({ counters, log: failingLog, now }, { shard: 'shardId-000000000000', records })
  const { get } = appWith()
  expect(await get('libraryId=/honojs/website')).toEqual({
    status: 200,
    body: {
      total: { page: 1, txt: 0, mcp: 2, cli: 0 },
      daily: [
        { date: '2026-11-20', page: 1, txt: 0, mcp: 0, cli: 0, total: 1 },
        { date: '2026-11-21', page: 0, txt: 0, mcp: 2, cli: 0, total: 2 },
      ],
      mcpClients: {
        dailyData: [{ date: '2026-11-21', uniqueUsersByClient: { codex: 1, cursor: 1 }, totalUniqueUsers: 2 }],
      },
      topics: [
        { topic: 'routing', count: 2 },
        { topic: 'cookies', count: 1 },
      ],
      countries: [
        { country: 'DE', count: 1 },
        { country: 'FR', count: 1 },
      ],
    },
  })
  expect((await get('libraryId=/honojs/website&days=1')).body).toMatchObject({
    total: { page: 1 },
    daily: [{ date: '2026-11-21' }],
  })
  expect((await get('libraryId=%2Fhonojs%2Fwebsite%40v1')).body).toMatchObject({ total: { page: 1, mcp: 0 }, topics: [] })
})

test('the parameter days is 30 by default, and accepts 1 to 365', async () => {
  const { get, asked } = appWith()
  for (const days of ['', '&days=1', '&days=365']) await get(`libraryId=/a/b${days}`)
  expect(asked.map(({ days }) => days)).toEqual([30, 1, 365])
})

test('the parameter days must be one whole number from 1 to 365', async () => {
  const { get, asked } = appWith()
  for (const days of ['0', '366', '1.5', 'abc', '', '-1', '1e2', '0x10', '+5', '9'.repeat(40), '1&days=2']) {
    const { status, body } = await get(`libraryId=/a/b&days=${days}`)
    expect([days, status, body]).toMatchObject([
      days,
      400,
      { error: 'validation_error', message: expect.stringMatching(/^days must be/), fields: expect.any(Array) },
    ])
  }
  expect(asked).toEqual([])
})

test('the library id is required exactly once, with 1 to 500 characters', async () => {
  const { get, asked } = appWith()
  for (const query of ['', 'libraryId=', `libraryId=/${'a'.repeat(500)}`, 'libraryId=/a/b&libraryId=/a/c', '__proto__=/a/b']) {
    expect(await get(query)).toMatchObject({
      status: 400,
      body: { error: 'validation_error', message: expect.stringMatching(/^libraryId /), fields: expect.any(Array) },
    })
  }
  expect(asked).toEqual([])
  expect((await get(`libraryId=/a/${'b'.repeat(497)}`)).status).toBe(200)
})

test('access is checked before the query', async () => {
  const gate = createMiddleware(() => Promise.reject(new AppError('invalid_api_key', 'Send a key.')))
  expect(await appWith(gate).get('days=abc')).toMatchObject({ status: 401, body: { error: 'invalid_api_key' } })
})

test('a store that fails leaks no internal message', async () => {
  counters = { ...counters, read: () => Promise.reject(new Error('arn:aws:dynamodb:secret')) }
  const { status, body } = await appWith().get('libraryId=/a/b')
  expect([status, body]).toMatchObject([500, { error: 'internal_error' }])
  expect(JSON.stringify(body)).not.toContain('arn:')
})

test.each(['timeout', 'temporarily_unavailable', 'data_damaged', 'disk_full', 'provider_unavailable'] as const)(
  'a store that fails with %s causes the only failure that the specification lists',
  async (code) => {
    counters = { ...counters, read: () => Promise.reject(new AppError(code, 'The store is away.')) }
    expect(await appWith().get('libraryId=/a/b')).toEqual({
      status: 500,
      body: { error: 'internal_error', message: 'The store is away.' },
    })
  },
)

test('the operation is documented by its name', () => {
  expect(describedRoutes(appWith().routes)).toMatchObject([
    { method: 'GET', path: '/v2/libs/metrics', docs: { operationId: 'getLibraryMetrics', tags: ['Metrics'] } },
  ])
})
