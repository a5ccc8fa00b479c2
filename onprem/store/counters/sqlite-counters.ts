import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../../shared/store/database.ts'
import type { Counted, CountedDay, CountedId, Counters, PlacedEvent } from '../../../shared/usage/counters.ts'
import { addUsers, countUsers, fromBytes, noUsers, toBytes, type UniqueUsers } from '../../../shared/usage/unique-users.ts'
import type { UsageEvent } from '../../../shared/usage/usage-event.ts'
import { allClients, allLibraries, foldUsage } from './fold-usage.ts'

/** The maximum per library; further topics are not counted. */
const maxTopics = 1_000
/** Days until the set of users is deleted and only its size is kept. No event is that late. */
const sketchDays = 35
const dayMs = 86_400_000
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
  const countTopic = db.prepare(`
    INSERT INTO usage_topics SELECT $id, $topic, $count
      WHERE EXISTS (SELECT 1 FROM usage_topics WHERE id = $id AND topic = $topic)
        OR (SELECT count(*) FROM usage_topics WHERE id = $id) < ${maxTopics}
    ON CONFLICT DO UPDATE SET count = count + excluded.count`)
  const sketchOf = db.prepare('SELECT sketch FROM usage_users WHERE id = ? AND date = ? AND client = ?')
  const storeUsers = db.prepare(`
    INSERT INTO usage_users VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
      users = max(users, excluded.users), sketch = excluded.sketch`)
  const totals = db.prepare(
    'SELECT sum(page) AS page, sum(txt) AS txt, sum(mcp) AS mcp, sum(cli) AS cli FROM usage_days WHERE id = ?',
  )
  const days = db.prepare('SELECT date, page, txt, mcp, cli FROM usage_days WHERE id = ? AND date BETWEEN ? AND ? ORDER BY date')
  const users = db.prepare('SELECT date, client, users FROM usage_users WHERE id = ? AND date BETWEEN ? AND ?')
  const topics = db.prepare('SELECT topic AS name, count FROM usage_topics WHERE id = ?')
  const countries = db.prepare('SELECT country AS name, count FROM usage_countries WHERE id = ?')

  function count(id: CountedId, events: UsageEvent[]): void {
    const { days, topics, countries, users } = foldUsage(events)
    for (const [date, { page, txt, mcp, cli }] of days) countDay.run(id, date, page, txt, mcp, cli)
    for (const [topic, count] of topics) countTopic.run({ id, topic, count })
    for (const [country, count] of countries) countCountry.run(id, country, count)
    for (const { date, client, hashes } of users.values())
      for (const counted of [id, allLibraries]) {
        const before = storedUsers(sketchOf.get(counted, date, client)?.sketch)
        const after = addUsers(before, hashes)
        if (after !== before) storeUsers.run(counted, date, client, toBytes(after), countUsers(after))
      }
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
        topics: named(topics.all(id)),
        countries: named(countries.all(id)),
      } satisfies Counted
    },
    begin: () => db.exec('DELETE FROM usage_checkpoints'),
    tidy() {
      const oldest = new Date(now().getTime() - sketchDays * dayMs).toISOString().slice(0, 10)
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

const named = (rows: Record<string, unknown>[]): Record<string, number> =>
  Object.fromEntries(rows.map(({ name, count }) => [String(name), Number(count)]))
