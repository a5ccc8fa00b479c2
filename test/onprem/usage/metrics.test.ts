import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { LibraryMetrics } from '../../../shared/usage/read-metrics.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await widgetsInstall()
})
afterAll(() => app.close())

const of = (libraryId: string, more: Record<string, string> = {}) => `?${new URLSearchParams({ libraryId, ...more })}`
const context = (libraryId: string, init: Parameters<TestInstall['ask']>[1] = {}, query = 'paint a widget') =>
  app.ask(`/api/v2/context${of(libraryId, { query })}`, init)

async function metrics(libraryId = '/acme/widgets', key = app.keys.member, url = app.url): Promise<LibraryMetrics> {
  const answer = await fetch(`${url}/api/v2/libs/metrics${of(libraryId)}`, { headers: { authorization: `Bearer ${key}` } })
  expect(answer.status).toBe(200)
  return answer.json() as Promise<LibraryMetrics>
}

async function callMcp(name: string, headers: Record<string, string> = {}): Promise<void> {
  const client = new Client({ name, version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit: { headers } }) as never)
  await client.callTool({ name: 'query-docs', arguments: { libraryId: '/acme/widgets', query: 'paint a widget' } })
  await client.close()
}

const today = () => new Date().toISOString().slice(0, 10)

test('metrics count exactly the successful requests', async () => {
  const day = today()
  await context('/acme/widgets')
  await context('/ACME/Widgets@v1.0.0', { headers: { 'x-carrel-source': 'web' } })
  await context('/acme/widgets', { headers: { 'x-context7-source': 'cli' } })
  await callMcp('codex-mcp-client', { 'user-agent': 'codex/1', 'x-forwarded-for': '10.1.1.1' })
  await callMcp('codex-mcp-client', { 'user-agent': 'codex/1', 'x-forwarded-for': '10.1.1.2' })
  const asKey = { key: app.keys.member, headers: { 'x-carrel-source': 'mcp', 'x-carrel-client-ide': 'Cursor' } }
  await context('/acme/widgets', asKey)
  await context('/acme/widgets', asKey)
  // None of these counts: a bot, an error, a request for the head alone, a search, the metrics themselves.
  await context('/acme/widgets', { headers: { 'user-agent': 'Examplebot/1.0' } })
  await context('/acme/widgets', {}, 'zzzz qqqq')
  await context('/acme/widgets', { method: 'HEAD' })
  await app.ask('/api/v2/libs/search?libraryName=widgets')
  await metrics()
  const total = { page: 1, txt: 1, mcp: 4, cli: 1 }
  await vi.waitFor(async () => expect((await metrics()).total).toEqual(total), { timeout: 60_000, interval: 50 })
  if (today() !== day) return
  const counted = await metrics()
  expect(counted).toMatchObject({
    daily: [{ date: day, ...total, total: 7 }],
    mcpClients: { dailyData: [{ date: day, uniqueUsersByClient: { cursor: 1, codex: 2 }, totalUniqueUsers: 3 }] },
    countries: [],
  })
  expect(counted.topics.length).toBeGreaterThan(0)
  expect((await metrics('/acme/widgets@v1.0.0')).total).toEqual({ page: 1, txt: 0, mcp: 0, cli: 0 })
})

test('requests in the last second before a stop are counted', async () => {
  const first = await widgetsInstall()
  await first.ask(`/api/v2/context${of('/acme/widgets', { query: 'paint a widget' })}`)
  await first.stop()
  const again = await testInstall({ reopen: first })
  try {
    expect((await metrics('/acme/widgets', first.keys.admin, again.url)).total).toEqual({ page: 0, txt: 1, mcp: 0, cli: 0 })
  } finally {
    await again.stop()
    await first.close()
  }
})

describe('the errors of a request for metrics', () => {
  test.each([
    ['no key', '?days=0', undefined, 401, 'invalid_api_key'],
    ['no id', '', 'member', 400, 'validation_error'],
    ['an id without a slash', of('widgets'), 'member', 400, 'invalid_library_id'],
    ['0 days', of('/acme/widgets', { days: '0' }), 'member', 400, 'validation_error'],
    ['a library that does not exist', of('/acme/none@v9'), 'member', 404, 'library_not_found'],
    ['a version that does not exist', of('/acme/widgets@v9'), 'member', 404, 'tag_not_found'],
  ] as const)('come in the order of the contract: %s', async (_what, query, who, status, error) => {
    const answer = await app.json(`/api/v2/libs/metrics${query}`, who && { key: app.keys[who] })
    expect(answer).toMatchObject({ status, body: { error } })
  })

  test('a library that was never requested has no counts', async () => {
    await app.git.create('acme/quiet', { files: { 'README.md': '# Quiet\n\nNothing is asked here.\n' } })
    await app.parse('acme/quiet')
    expect(await metrics('/acme/quiet')).toEqual({
      total: { page: 0, txt: 0, mcp: 0, cli: 0 },
      daily: [],
      mcpClients: { dailyData: [] },
      topics: [],
      countries: [],
    })
  })
})

test('questions without an answer are counted by day, without their text', async () => {
  const library = async (key?: string) => (await app.json('/api/projects/acme/widgets', key ? { key } : {})).body
  const before = (await library(app.keys.member)) as { unanswered: { total: number } }
  const day = today()
  expect((await context('/acme/widgets', {}, 'zzzz secretword')).status).toBe(404)
  expect((await context('/acme/widgets@v1.0.0', {}, 'zzzz secretword')).status).toBe(404)
  // None of these counts: a bot, an answered question, a library that does not exist.
  await context('/acme/widgets', { headers: { 'user-agent': 'Examplebot/1.0' } }, 'zzzz secretword')
  await context('/acme/widgets')
  await context('/acme/none', {}, 'zzzz secretword')
  const count = before.unanswered.total + 2
  type Details = { unanswered: { total: number } }
  await until(async () => ((await library(app.keys.member)) as Details).unanswered.total >= count)
  if (today() === day)
    expect(await library(app.keys.member)).toMatchObject({ unanswered: { total: count, daily: [{ date: day, count }] } })
  expect(await library()).not.toHaveProperty('unanswered')
  for (const name of ['carrel.db', 'carrel.db-wal'])
    expect(readFileSync(join(app.dataDir, name)).includes('secretword')).toBe(false)
})
