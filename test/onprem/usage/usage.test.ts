import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sqliteCounters } from '../../../onprem/store/counters/sqlite-counters.ts'
import { usageFigures } from '../../../onprem/store/counters/usage-figures.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import type { UsageAnswer } from '../../../shared/usage/usage-answer.ts'
import { csvCell } from '../../../shared/usage/usage-csv.ts'
import { mcpEvent, placed } from '../../contracts/counters-events.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import type { TestInstall } from '../../fixtures/test-install.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'

let app: TestInstall
beforeAll(async () => {
  app = await widgetsInstall()
  await app.git.create('acme/quiet', { files: { 'README.md': '# Quiet\n\nNothing is asked here.\n' } })
  await app.parse('acme/quiet')
})
afterAll(() => app.close())

const usage = async (query = '') => {
  const { status, body } = await app.json(`/api/usage${query}`, { key: app.keys.member })
  expect(status).toBe(200)
  return body as UsageAnswer
}
const ask = (libraryId: string, query: string, headers: Record<string, string> = {}) =>
  app.ask(`/api/v2/context?${new URLSearchParams({ libraryId, query })}`, { headers })

test('usage of all libraries and of one begins with the day that they were added', async () => {
  const day = new Date().toISOString().slice(0, 10)
  await ask('/acme/widgets', 'paint a widget')
  await ask('/acme/widgets@v1.0.0', 'paint a widget', { 'x-context7-source': 'cli' })
  const mcp = { 'x-carrel-source': 'mcp', 'x-carrel-client-ide': '=cmd()', 'user-agent': 'one/1' }
  await ask('/acme/widgets', 'paint a widget', mcp)
  expect((await ask('/acme/widgets', 'zzzz qqqq')).status).toBe(404)
  await vi.waitFor(async () => expect((await usage()).period.total).toBe(3), { timeout: 60_000, interval: 50 })
  if (new Date().toISOString().slice(0, 10) !== day) return

  const all = await usage('?days=7')
  const counts = { page: 0, txt: 1, mcp: 1, cli: 1, total: 3 }
  expect(all).toMatchObject({
    libraryId: null,
    since: day,
    period: { ...counts, mcpUsersPerDay: 1, questions: 4, answered: 3, unanswered: 1, shareDeclined: 1 / 4, libraries: 1 },
    previous: null,
    topicsFrom: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    daily: [{ date: day, ...counts, unanswered: 1 }],
    mcpClients: { dailyData: [{ date: day, totalUniqueUsers: 1 }] },
    libraries: [{ libraryId: '/acme/widgets', ...counts }],
  })
  expect(await usage('?libraryId=/ACME/widgets')).toMatchObject({ libraryId: '/acme/widgets', daily: all.daily, libraries: [] })
  expect(await usage('?libraryId=/acme/widgets@v1.0.0')).toMatchObject({ period: { total: 1, cli: 1, unanswered: 0 } })
  expect(await usage('?libraryId=/acme/quiet')).toMatchObject({
    period: { total: 0, libraries: 0 },
    daily: [{ date: day, page: 0, txt: 0, mcp: 0, cli: 0, total: 0, questions: 0, unanswered: 0, answerMs: null }],
  })

  const answer = await app.ask('/api/usage?format=csv&days=7', { key: app.keys.member })
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="carrel-usage-all-[\d-]+\.csv"$/)
  const lines = (await answer.text()).split('\r\n')
  expect(lines[0]).toBe('table,date,name,mcp,cli,page,txt,count')
  expect(lines).toContain(`requests,${day},,1,1,0,1,3`)
  expect(lines).toContain('library,,/acme/widgets,1,1,0,1,3')
  expect(lines.filter((line) => /(^|,)"?[=+@]/.test(line))).toEqual([])
})

test('the previous period is compared if the library existed on its first day', async () => {
  const db = openDatabase(tempDir())
  db.exec("INSERT INTO libraries VALUES ('/a/b', '/a/b', 'B', '', '', '', 0, 0, '[]', '{}', 0, 0, 0, NULL, '[]')")
  const counters = sqliteCounters(db, () => new Date())
  const at = (day: string, user: number) => mcpEvent(user, 'cursor', { at: `${day}T10:00:00Z` })
  await counters.add('/a/b', 's', placed([at('2026-01-01', 1), at('2026-01-09', 1), at('2026-01-09', 2)]))
  await counters.add('/c/d', 's', placed([at('2026-01-09', 2), at('2026-01-09', 3)]))
  const figures = usageFigures(db)
  expect(figures.since('/a/b')).toBe('2026-01-01')
  const range = { from: '2026-01-08', to: '2026-01-10' }
  // The same user of two libraries counts once. The requests of a removed library count for the install only.
  expect(figures.days(undefined, range)).toMatchObject([{ date: '2026-01-09', mcp: 4, users: 3, usersByClient: { cursor: 3 } }])
  expect(figures.libraries(range)).toMatchObject([{ key: '/a/b', mcp: 2 }])
  db.close()
})

test.each([
  ['=1+1', `"'=1+1"`],
  ['  @SUM(A1)', `"'  @SUM(A1)"`],
  ['-2', `"'-2"`],
  ['a "b", c', '"a ""b"", c"'],
  ['plain text', 'plain text'],
  [12, '12'],
])('a cell of CSV with %j is no formula', (value, cell) => expect(csvCell(value)).toBe(cell))

test('the previous period is null for a library that is younger', async () => {
  expect((await usage('?libraryId=/acme/quiet&days=365')).previous).toBeNull()
})
