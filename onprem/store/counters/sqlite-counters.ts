import type { DatabaseSync } from 'node:sqlite'
import { keyOfVersion } from '../../../shared/library.ts'
import { transaction } from '../../../shared/store/database.ts'
import { utcDay } from '../../../shared/time/utc-day.ts'
import { countFrequent } from '../../../shared/usage/count-frequent.ts'
import type { Counted, CountedDay, CountedId, Counters, PlacedEvent } from '../../../shared/usage/counters.ts'
import { addUsers, countUsers, fromBytes, noUsers, toBytes, type UniqueUsers } from '../../../shared/usage/unique-users.ts'
import type { Surface, UsageEvent } from '../../../shared/usage/usage-event.ts'

/** Counters of topics per library. */
const maxTopics = 1_000
/** Days until the set of users is deleted and only its size is kept. No event is that late. */
const sketchDays = 35
const sequenceDigits = 56

export type SqliteCounters = Counters & {
  /** Deletes the checkpoints of earlier processes, which deliver no more events. */
  begin(): void
  /** Deletes data that only late events need. */
  tidy(): void
}

/** Counters in SQLite. The events of one call and the checkpoint of their shard are written in one transaction. */
export function sqliteCounters(db: DatabaseSync, now: () => Date): SqliteCounters {
  const reached = db.prepare('SELECT sequence FROM usage_checkpoints WHERE id = ? AND shard = ?')
  const reach = db.prepare(
    'INSERT INTO usage_checkpoints VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET sequence = excluded.sequence',
  )
  const countDay = db.prepare(`
    INSERT INTO usage_days VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
      page = page + excluded.page, txt = txt + excluded.txt, mcp = mcp + excluded.mcp, cli = cli + excluded.cli`)
  const countCountry = db.prepare(
    'INSERT INTO usage_countries VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
  )
  const putTopic = db.prepare('INSERT INTO usage_topics VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = excluded.count')
  const dropTopic = db.prepare('DELETE FROM usage_topics WHERE id = ? AND topic = ?')
  const sketchOf = db.prepare('SELECT sketch FROM usage_users WHERE id = ? AND date = ? AND client = ?')
  const storeUsers = db.prepare(`
    INSERT INTO usage_users VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
      users = max(users, excluded.users), sketch = excluded.sketch`)
  const totals = db.prepare(
    'SELECT sum(page) AS page, sum(txt) AS txt, sum(mcp) AS mcp, sum(cli) AS cli FROM usage_days WHERE id = ?',
  )
  const days = db.prepare('SELECT date, page, txt, mcp, cli FROM usage_days WHERE id = ? AND date BETWEEN ? AND ? ORDER BY date')
  const users = db.prepare('SELECT date, client, users FROM usage_users WHERE id = ? AND date BETWEEN ? AND ?')
  const topicsOf = db.prepare('SELECT topic AS name, count FROM usage_topics WHERE id = ?')
  const countries = db.prepare('SELECT country AS name, count FROM usage_countries WHERE id = ?')

  function count(id: CountedId, events: UsageEvent[]): void {
    const { days, topics, countries, users } = foldUsage(events)
    for (const [date, { page, txt, mcp, cli }] of days) countDay.run(id, date, page, txt, mcp, cli)
    countTopics(id, topics)
    for (const [country, count] of countries) countCountry.run(id, country, count)
    for (const { date, client, hashes } of users.values())
      for (const counted of [id, allLibraries]) {
        const before = storedUsers(sketchOf.get(counted, date, client)?.sketch)
        const after = addUsers(before, hashes)
        if (after !== before) storeUsers.run(counted, date, client, toBytes(after), countUsers(after))
      }
  }

  function countTopics(id: CountedId, added: Map<string, number>): void {
    if (added.size === 0) return
    const before = counts(topicsOf.all(id))
    const after = new Map(before)
    for (const [topic, count] of added) countFrequent(after, topic, count, maxTopics)
    for (const topic of before.keys()) if (!after.has(topic)) dropTopic.run(id, topic)
    for (const [topic, count] of after) if (before.get(topic) !== count) putTopic.run(id, topic, count)
  }

  return {
    async add(id, shard, events) {
      transaction(db, () => {
        const checkpoint = String(reached.get(id, shard)?.sequence ?? '')
        const last = events.at(-1)
        if (last === undefined || padded(last) <= checkpoint) return
        count(
          id,
          firstOfEach(events)
            .filter((placed) => padded(placed) > checkpoint)
            .map(({ event }) => event),
        )
        reach.run(id, shard, padded(last))
      })
    },
    async read(id, from, to) {
      const byDate = new Map((days.all(id, from, to) as DayRow[]).map((day) => [day.date, withUsers(day)]))
      for (const { date, client, users: count } of users.all(id, from, to) as { date: string; client: string; users: number }[]) {
        const day = byDate.get(date)
        if (day && client === allClients) day.users = count
        else if (day) Object.defineProperty(day.usersByClient, client, { value: count, enumerable: true })
      }
      const total = totals.get(id)
      return {
        total: { page: Number(total?.page), txt: Number(total?.txt), mcp: Number(total?.mcp), cli: Number(total?.cli) },
        days: [...byDate.values()],
        topics: named(topicsOf.all(id)),
        countries: named(countries.all(id)),
      } satisfies Counted
    },
    begin: () => db.exec('DELETE FROM usage_checkpoints'),
    tidy() {
      const oldest = utcDay(now(), -sketchDays)
      db.prepare('UPDATE usage_users SET sketch = NULL WHERE date < ? AND sketch IS NOT NULL').run(oldest)
    },
  }
}

const padded = ({ sequence }: PlacedEvent): string => sequence.padStart(sequenceDigits, '0')

const firstOfEach = (events: PlacedEvent[]): PlacedEvent[] => {
  const seen = new Set<string>()
  return events.filter(({ event }) => !seen.has(event.id) && seen.add(event.id))
}

const storedUsers = (sketch: unknown): UniqueUsers => (sketch instanceof Uint8Array ? fromBytes(sketch) : noUsers())

type DayRow = Omit<CountedDay, 'usersByClient' | 'users'>

const withUsers = (day: DayRow): CountedDay => ({ ...day, usersByClient: {}, users: 0 })

const counts = (rows: Record<string, unknown>[]): Map<string, number> =>
  new Map(rows.map(({ name, count }) => [String(name), Number(count)]))

const named = (rows: Record<string, unknown>[]): Record<string, number> => Object.fromEntries(counts(rows))

const tables = ['usage_days', 'usage_topics', 'usage_countries', 'usage_users', 'usage_unanswered']

/** Deletes the counters of a library with all its versions, or of one version (`key@version`). Checkpoints are kept, so that nothing is counted twice. */
export function deleteUsage(db: DatabaseSync, key: string, version?: string): void {
  const [condition, values] =
    version === undefined
      ? ["id = :key OR id > :key || '@' AND id < :key || 'A'", { key }]
      : ['id = :id', { id: keyOfVersion(key, version) }]
  if (version === undefined) keepTotals(db, key)
  for (const table of tables) db.prepare(`DELETE FROM ${table} WHERE ${condition}`).run(values as Record<string, string>)
}

/** Adds the requests of a library that is about to be deleted to those of the install. Versions repeat them. */
function keepTotals(db: DatabaseSync, key: string): void {
  const keep = (table: string, columns: string, update: string) =>
    db
      .prepare(
        `INSERT INTO ${table} SELECT '${allLibraries}', ${columns} FROM ${table} WHERE id = ? ON CONFLICT DO UPDATE SET ${update}`,
      )
      .run(key)
  keep(
    'usage_days',
    'date, page, txt, mcp, cli',
    'page = page + excluded.page, txt = txt + excluded.txt, mcp = mcp + excluded.mcp, cli = cli + excluded.cli',
  )
  for (const [table, name] of [
    ['usage_unanswered', 'date'],
    ['usage_countries', 'country'],
  ] as const)
    keep(table, `${name}, count`, 'count = count + excluded.count')
}

/** The sum of all clients. */
export const allClients = ''

/** The id under which the install counts its unique users, who cannot be added up from those of the libraries, and the requests of deleted libraries. */
export const allLibraries = ''

/** Sums up events, so that a second of a busy server takes only a few rows. */
function foldUsage(events: UsageEvent[]) {
  const days = new Map<string, Record<Surface, number>>()
  const topics = new Map<string, number>()
  const countries = new Map<string, number>()
  const users = new Map<string, { date: string; client: string; hashes: string[] }>()
  const raise = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const event of events) {
    const date = event.at.slice(0, 10)
    const day = days.get(date) ?? { page: 0, txt: 0, mcp: 0, cli: 0 }
    day[event.surface] += 1
    days.set(date, day)
    for (const topic of new Set(event.topics)) raise(topics, topic)
    if (event.country !== undefined) raise(countries, event.country)
    if (event.client === undefined || event.user === undefined) continue
    for (const client of [event.client, allClients]) {
      const key = `${date} ${client}`
      const set = users.get(key) ?? { date, client, hashes: [] }
      set.hashes.push(event.user)
      users.set(key, set)
    }
  }
  return { days, topics, countries, users }
}
