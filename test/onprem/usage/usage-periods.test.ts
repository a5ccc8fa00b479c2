import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UsageAnswer } from '../../../shared/usage/usage-answer.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

const clock = { now: new Date('2026-03-01T12:00:00Z') }
const goTo = (day: string) => {
  clock.now = new Date(`${day}T12:00:00Z`)
}

let app: TestInstall
beforeAll(async () => {
  app = await testInstall({ now: () => clock.now })
  for (const repo of ['acme/anvil', 'acme/rope'])
    await app.git.create(repo, { files: { 'README.md': page('=cmd|calc', 'An anvil is heavy.') } })
  await app.parse('acme/anvil')
})
afterAll(() => app.close())

const usage = async (query: string) => (await app.json(`/api/usage?${query}`, { key: app.keys.member })).body as UsageAnswer
const total = async () => (await usage('days=365')).period.total

/** Asks, and waits until the requests are counted. */
async function ask(libraryId: string, times: number, headers: Record<string, string>): Promise<void> {
  const counted = (await total()) + times
  const query = new URLSearchParams({ libraryId, query: 'heavy anvil' })
  for (let n = 0; n < times; n++) expect((await app.ask(`/api/v2/context?${query}`, { headers })).status).toBe(200)
  await until(async () => (await total()) === counted)
}

const mcpUser = (userAgent: string) => ({
  'x-carrel-source': 'mcp',
  'x-carrel-client-ide': 'Cursor',
  'user-agent': userAgent,
})

test('days, users and the previous period are those of all libraries, or of one', async () => {
  await ask('/acme/anvil', 2, { 'x-carrel-source': 'web' })
  goTo('2026-03-03')
  await app.parse('acme/rope')
  await ask('/acme/rope', 1, {})
  goTo('2026-03-05')
  await ask('/acme/anvil', 3, { 'x-carrel-source': 'cli' })
  for (const user of ['one/1', 'two/1']) for (const library of ['/acme/anvil', '/acme/rope']) await ask(library, 1, mcpUser(user))
  expect((await app.ask('/api/v2/context?libraryId=/acme/rope&query=zzzz')).status).toBe(404)
  await until(async () => (await usage('days=1')).period.unanswered === 1)

  const idle = { page: 0, txt: 0, mcp: 0, cli: 0, total: 0, unanswered: 0 }
  const all = await usage('days=2')
  expect(all).toMatchObject({
    since: '2026-03-01',
    total: { page: 2, txt: 1, mcp: 4, cli: 3 },
    daily: [
      { date: '2026-03-04', ...idle },
      { date: '2026-03-05', ...idle, cli: 3, mcp: 4, total: 7, unanswered: 1 },
    ],
    // A user of two libraries is one user of the install.
    mcpClients: { dailyData: [{ date: '2026-03-05', uniqueUsersByClient: { cursor: 2 }, totalUniqueUsers: 2 }] },
    period: { page: 0, txt: 0, mcp: 4, cli: 3, total: 7, mcpUsersPerDay: 1, unanswered: 1, libraries: 2 },
    previous: { page: 0, txt: 1, mcp: 0, cli: 0, total: 1, mcpUsersPerDay: 0, unanswered: 0, libraries: 1 },
    libraries: [
      { libraryId: '/acme/anvil', mcp: 2, cli: 3, total: 5 },
      { libraryId: '/acme/rope', mcp: 2, total: 2 },
    ],
  })
  expect((await usage('days=3')).previous).toBeNull()

  const rope = await usage('days=5&libraryId=/acme/rope')
  expect(rope).toMatchObject({ since: '2026-03-03', period: { total: 3, unanswered: 1 }, previous: null, libraries: [] })
  expect(rope.daily.map((each) => [each.date, each.total])).toEqual([
    ['2026-03-03', 1],
    ['2026-03-04', 0],
    ['2026-03-05', 2],
  ])
})

test('a topic that a spreadsheet would evaluate is text in CSV', async () => {
  const answer = await app.ask('/api/usage?days=7&format=csv', { key: app.keys.member })
  const lines = (await answer.text()).split('\r\n')
  expect(lines.some((line) => line.startsWith(`topic,,"'=cmd|calc"`))).toBe(true)
})

test('topics, shares and answer times are those of the period', async () => {
  const { topics: before } = await usage('days=1&libraryId=/acme/rope')
  goTo('2026-03-06')
  await ask('/acme/rope', 1, {})
  expect((await usage('days=1&libraryId=/acme/rope')).topics).toEqual(before.map((each) => ({ ...each, count: 1 })))
  expect(await usage('days=1')).toMatchObject({
    topicsFrom: '2026-03-06',
    period: { questions: 1, shareAnswered: 1, shareDeclined: 0 },
  })
  const { period, topics } = await usage('days=6&libraryId=/acme/rope')
  expect(topics[0]?.count).toBe(4)
  expect(period).toMatchObject({ questions: 5, answered: 4, unanswered: 1, shareAnswered: 0.8, shareDeclined: 0.2 })
  expect(period.answerMs?.p50).toBeGreaterThan(0)
  const lines = (await (await app.ask('/api/usage?days=6&format=csv', { key: app.keys.member })).text()).split('\r\n')
  expect(lines).toContain('answered,2026-03-06,,,,,,1')
  expect(lines.filter((line) => line.startsWith('answer ms,2026-03-06,p'))).toHaveLength(3)
})

test('a question whose answer does not cover it is a request, and declined', async () => {
  goTo('2026-03-08')
  const query = new URLSearchParams({ libraryId: '/acme/anvil', query: 'kubernetes ingress heavy timeout' })
  const answer = await app.json(`/api/v2/context?${query}&type=json`, {})
  expect(answer).toMatchObject({ status: 200, body: { covered: false } })
  await until(async () => (await usage('days=1')).period.total === 1)
  expect((await usage('days=1')).period).toMatchObject({
    questions: 1,
    answered: 0,
    uncovered: 1,
    unanswered: 0,
    shareDeclined: 1,
  })
})

test('the usage of the install does not dip while a deletion can be undone', async () => {
  const before = await usage('days=30')
  expect((await app.call('DELETE', '/api/projects/acme/rope?undo=60')).status).toBe(200)
  const meanwhile = await usage('days=30')
  expect(meanwhile).toMatchObject({ total: before.total, daily: before.daily, countries: before.countries })
  expect(meanwhile.libraries.map(({ libraryId }) => libraryId)).toEqual(['/acme/anvil'])
  expect((await app.call('POST', '/api/projects/acme/rope/restore')).status).toBe(200)
  expect(await usage('days=30')).toEqual(before)
})

test('the usage of the install keeps the requests of a deleted library, without its name, topics and clients', async () => {
  goTo('2026-03-09')
  await ask('/acme/rope', 1, { ...mcpUser('three/1'), 'x-carrel-client-ide': 'Zed' })
  await ask('/acme/rope', 1, mcpUser('three/1'))
  await ask('/acme/anvil', 1, mcpUser('four/1'))
  const before = await usage('days=30')
  expect(before.mcpClients.dailyData.at(-1)).toMatchObject({ uniqueUsersByClient: { cursor: 2, zed: 1 } })
  const { topics } = await usage('days=30&libraryId=/acme/anvil')
  expect((await app.call('DELETE', '/api/projects/acme/rope')).status).toBe(200)
  const after = await usage('days=30')
  expect(after.period).toMatchObject({ total: before.period.total, unanswered: before.period.unanswered, libraries: 1 })
  expect(after).toMatchObject({ total: before.total, daily: before.daily, countries: before.countries, since: before.since })
  expect(after.topics).toEqual(topics)
  expect(after.libraries.map(({ libraryId }) => libraryId)).toEqual(['/acme/anvil'])
  expect(after.period.mcpUsersPerDay).toBe(before.period.mcpUsersPerDay)
  expect(after.mcpClients.dailyData.map(({ uniqueUsersByClient }) => uniqueUsersByClient)).toEqual([{ cursor: 2 }, { cursor: 1 }])
})

test('the requests per day of several libraries have one number per day, also for unknown ones', async () => {
  goTo('2027-02-28')
  await ask('/acme/anvil', 1, {})
  goTo('2027-03-01')
  const path = '/api/usage/daily?libraryIds=/acme/Anvil,/acme/unknown&days=3'
  expect((await app.json(path, { key: app.keys.member })).body).toEqual({
    from: '2027-02-27',
    to: '2027-03-01',
    libraries: [
      { libraryId: '/acme/Anvil', requests: [0, 1, 0] },
      { libraryId: '/acme/unknown', requests: [0, 0, 0] },
    ],
  })
  expect((await app.json('/api/usage/daily?libraryIds=anvil', { key: app.keys.member })).status).toBe(400)
})
