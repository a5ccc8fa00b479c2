import type { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { sqliteCatalog } from '../../../../onprem/store/catalog/sqlite-catalog.ts'
import { sqliteCounters } from '../../../../onprem/store/counters/sqlite-counters.ts'
import { usageFigures } from '../../../../onprem/store/counters/usage-figures.ts'
import { parseLibraryId } from '../../../../shared/library.ts'
import { openDatabase } from '../../../../shared/store/database.ts'
import { mcpEvent, placed, times, usageEvent } from '../../../contracts/counters-events.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

const id = '/acme/kit'

function open() {
  const clock = { now: new Date('2026-11-21T13:00:00Z') }
  const db = openDatabase(tempDir())
  onTestFinished(() => db.close())
  const counters = sqliteCounters(db, () => clock.now)
  const read = () => counters.read(id, '2026-01-01', '2027-12-31')
  return { clock, db, counters, read }
}

test('a thousand topics have counters, and a later one takes the place of a rare one', async () => {
  const { counters, read } = open()
  const frequent = times(1_000, (n) => usageEvent({ topics: [n < 400 ? 'frequent' : `t${n}`] }))
  await counters.add(id, 'a', placed(frequent))
  await counters.add(id, 'b', placed(times(500, (n) => usageEvent({ topics: [`later${n}`] }))))
  const { topics } = await read()
  expect(Object.keys(topics)).toHaveLength(1_000)
  expect(topics).toMatchObject({ frequent: 400, later0: 1, later499: 2 })
  expect(Object.values(topics).reduce((sum, count) => sum + count, 0)).toBe(1_500)
})

const addLibrary = (db: DatabaseSync, key = id) =>
  db.exec(`INSERT INTO libraries VALUES ('${key}', '${key}', 'Kit', '', '', '', 0, 0, '[]', '{}', 0, 0, 0, NULL, '[]')`)

test('a hundred topics a day have counters, for a year', async () => {
  const { clock, db, counters } = open()
  addLibrary(db)
  await counters.add(id, 'a', placed(times(300, (n) => usageEvent({ topics: [n < 150 ? 'frequent' : `t${n}`] }))))
  const day = { from: '2026-11-21', to: '2026-11-21' }
  const topics = () => usageFigures(db).topics(id, day)
  expect(topics()).toHaveLength(100)
  expect(topics()[0]).toEqual({ topic: 'frequent', count: 150 })
  clock.now = new Date('2027-11-21T12:00:00Z')
  counters.tidy()
  expect(topics()).toHaveLength(100)
  clock.now = new Date('2027-11-22T12:00:00Z')
  counters.tidy()
  expect(topics()).toEqual([])
})

test('a request that is counted after the deletion of its library leaves no name, and counts for the install', async () => {
  const { db, counters, read } = open()
  addLibrary(db, '/acme/other')
  await counters.add(id, 'a', placed([mcpEvent('ann', 'zed', { topics: ['setup'] }), mcpEvent('ann')]))
  await counters.add('/acme/other', 'a', placed([mcpEvent('ann')]))
  counters.tidy()
  expect(await read()).toMatchObject({ days: [], topics: {} })
  const day = { from: '2026-11-21', to: '2026-11-21' }
  expect(usageFigures(db).days(undefined, day)).toMatchObject([{ mcp: 3, users: 1, usersByClient: { cursor: 1 } }])
  expect(usageFigures(db).days(undefined, day)[0]?.usersByClient).not.toHaveProperty('zed')
})

test('the users of a client are at most those of the remaining libraries if the sets of the day are deleted', async () => {
  const { clock, db, counters } = open()
  for (const [key, users] of [
    [id, 30],
    ['/acme/other', 3],
  ] as const) {
    addLibrary(db, key)
    await counters.add(key, 'a', placed(times(users, (n) => mcpEvent(n))))
  }
  clock.now = new Date('2027-01-21T13:00:00Z')
  counters.tidy()
  sqliteCatalog(db, () => clock.now).remove(parseLibraryId(id))
  const day = { from: '2026-11-21', to: '2026-11-21' }
  expect(usageFigures(db).days(undefined, day)).toMatchObject([{ mcp: 33, users: 30, usersByClient: { cursor: 3 } }])
})

test('the sets of users are deleted after 35 days, and only their numbers are kept', async () => {
  const { clock, db, counters, read } = open()
  addLibrary(db)
  await counters.add(id, 'a', placed(times(20, (n) => mcpEvent(n))))
  const sketches = () => db.prepare('SELECT count(sketch) AS kept FROM usage_users').get()?.kept
  clock.now = new Date('2026-12-26T00:00:00Z')
  counters.tidy()
  // There are sketches of the library and of all libraries: one client each, and all clients.
  expect(sketches()).toBe(4)
  clock.now = new Date('2026-12-27T00:00:00Z')
  counters.tidy()
  expect(sketches()).toBe(0)
  expect((await read()).days).toMatchObject([{ users: 20, usersByClient: { cursor: 20 } }])
})

test('a batch that fails midway changes no counter', async () => {
  const { db, counters, read } = open()
  const question = { ms: 40, outcome: 'uncovered' } as const
  const batch = placed([usageEvent({ topics: ['setup'], question }), mcpEvent('ann')])
  db.exec("CREATE TRIGGER full BEFORE INSERT ON usage_users BEGIN SELECT RAISE(ABORT, 'full'); END")
  await expect(counters.add(id, 'a', batch)).rejects.toThrow('full')
  const rowsOf = (table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n)
  const tables = ['usage_days', 'usage_times', 'usage_topics', 'usage_day_topics', 'usage_checkpoints']
  expect(tables.map(rowsOf)).toEqual(tables.map(() => 0))
  db.exec('DROP TRIGGER full')
  await counters.add(id, 'a', batch)
  expect(await read()).toMatchObject({
    total: { txt: 1, mcp: 1 },
    days: [{ uncovered: 1, times: { 40: 1 } }],
    topics: { setup: 1 },
  })
})

test('the counters of a library are deleted with it, or with its version', async () => {
  const { db, counters } = open()
  const catalog = sqliteCatalog(db, () => new Date())
  const ids = [id, `${id}@v1`, `${id}@v2`, '/acme/kit-more']
  for (const each of ids) await counters.add(each, 'a', placed([usageEvent({ topics: ['setup'] })]))
  const empty = { total: { page: 0, txt: 0, mcp: 0, cli: 0 }, days: [], topics: {}, countries: {} }
  const topicsLeft = async () => {
    const counted = await Promise.all(ids.map((each) => counters.read(each, '2026-01-01', '2027-12-31')))
    const left = ids.filter((_, n) => counted[n]?.topics.setup === 1)
    for (const [n, each] of ids.entries()) if (!left.includes(each)) expect(counted[n]).toEqual(empty)
    return left
  }
  catalog.remove(parseLibraryId(`${id}@v1`))
  expect(await topicsLeft()).toEqual([id, `${id}@v2`, '/acme/kit-more'])
  catalog.remove(parseLibraryId(id))
  expect(await topicsLeft()).toEqual(['/acme/kit-more'])
})
