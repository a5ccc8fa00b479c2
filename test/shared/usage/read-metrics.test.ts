import { expect, test } from 'vitest'
import type { Counted } from '../../../shared/usage/counters.ts'
import { readMetrics, toMetrics } from '../../../shared/usage/read-metrics.ts'
import { noCounts } from '../../../shared/usage/usage-event.ts'

const day = (date: string, facts: Partial<Counted['days'][number]> = {}): Counted['days'][number] => ({
  date,
  ...noCounts(),
  times: {},
  usersByClient: {},
  users: 0,
  ...facts,
})
const counted = (facts: Partial<Counted> = {}): Counted => ({
  total: { page: 0, txt: 0, mcp: 0, cli: 0 },
  days: [],
  topics: {},
  countries: {},
  ...facts,
})

test('a library without questions has the five fields, empty', () => {
  expect(toMetrics(counted())).toEqual({
    total: { page: 0, txt: 0, mcp: 0, cli: 0 },
    daily: [],
    mcpClients: { dailyData: [] },
    topics: [],
    countries: [],
  })
})

test('days are listed oldest first with their total, without idle days and days without MCP users', () => {
  const days = [
    day('2026-11-21', { page: 1, txt: 2, mcp: 3, cli: 4, users: 3, usersByClient: { zed: 1, cursor: 2 } }),
    day('2026-11-19'),
    day('2026-11-18', { cli: 5 }),
  ]
  const { daily, mcpClients } = toMetrics(counted({ days }))
  expect(daily).toEqual([
    { date: '2026-11-18', page: 0, txt: 0, mcp: 0, cli: 5, total: 5 },
    { date: '2026-11-21', page: 1, txt: 2, mcp: 3, cli: 4, total: 10 },
  ])
  expect(mcpClients.dailyData).toEqual([{ date: '2026-11-21', uniqueUsersByClient: { cursor: 2, zed: 1 }, totalUniqueUsers: 3 }])
  expect(Object.keys(mcpClients.dailyData[0]?.uniqueUsersByClient ?? {})).toEqual(['cursor', 'zed'])
})

test('the users of a day are never fewer than those of one client', () => {
  const days = [day('2026-11-21', { mcp: 900, users: 700, usersByClient: { cursor: 710, zed: 3 } })]
  expect(toMetrics(counted({ days })).mcpClients.dailyData[0]?.totalUniqueUsers).toBe(710)
})

test('topics and countries are ordered by count, then by name', () => {
  const { topics, countries } = toMetrics(
    counted({ topics: { routing: 2, zod: 7, cookies: 2, ['__proto__']: 2 }, countries: { FR: 1, DE: 1, US: 4 } }),
  )
  expect(topics).toEqual([
    { topic: 'zod', count: 7 },
    { topic: '__proto__', count: 2 },
    { topic: 'cookies', count: 2 },
    { topic: 'routing', count: 2 },
  ])
  expect(countries.map(({ country }) => country)).toEqual(['US', 'DE', 'FR'])
})

test('the window ends today in UTC', async () => {
  const asked: string[][] = []
  const counters = {
    read: async (...input: string[]) => {
      asked.push(input)
      return counted()
    },
  }
  const at = (time: string) => ({ counters, now: () => new Date(time) })
  await readMetrics(at('2026-11-21T23:59:59.999Z'), '/a/b', 1)
  await readMetrics(at('2026-03-01T00:00:00.000Z'), '/a/b@v1', 30)
  await readMetrics(at('2026-11-21T12:00:00.000Z'), '/a/b', 365)
  expect(asked).toEqual([
    ['/a/b', '2026-11-21', '2026-11-21'],
    ['/a/b@v1', '2026-01-31', '2026-03-01'],
    ['/a/b', '2025-11-22', '2026-11-21'],
  ])
})
