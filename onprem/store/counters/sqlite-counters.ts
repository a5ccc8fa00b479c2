import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { transaction } from '../../../shared/store/database.ts'
import { utcDay } from '../../../shared/time/utc-day.ts'
import { type AnswerTimes, boundOf, sumTimes } from '../../../shared/usage/answer-times.ts'
import { countFrequent } from '../../../shared/usage/count-frequent.ts'
import type { Counted, CountedDay, CountedId, Counters, PlacedEvent } from '../../../shared/usage/counters.ts'
import { addUsers, countUsers, fromBytes, noUsers, toBytes, type UniqueUsers } from '../../../shared/usage/unique-users.ts'
import { type DayCounts, dayCounters, noCounts, raisedCounters, type UsageEvent } from '../../../shared/usage/usage-event.ts'
import { allClients, allLibraries, deleteOrphans, isVersion } from './delete-usage.ts'

/** Counters of topics per library. */
const maxTopics = 1_000
/** Counters of topics per library and day. */
const maxDayTopics = 100
/** Days for which topics are counted: the longest range that can be read. */
const topicDays = 365
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
    INSERT INTO usage_days (id, date, ${dayCounters}) VALUES ($id, $date, ${dayCounters.map((each) => `$${each}`)})
      ON CONFLICT DO UPDATE SET ${dayCounters.map((each) => `${each} = ${each} + excluded.${each}`)}`)
  const countTime = db.prepare(
    'INSERT INTO usage_times VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
  )
  const countCountry = db.prepare(
    'INSERT INTO usage_countries VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
  )
  const putTopic = db.prepare('INSERT INTO usage_topics VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = excluded.count')
  const dropTopic = db.prepare('DELETE FROM usage_topics WHERE id = ? AND topic = ?')
  const putDayTopic = db.prepare(
    'INSERT INTO usage_day_topics VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = excluded.count',
  )
  const dropDayTopic = db.prepare('DELETE FROM usage_day_topics WHERE id = ? AND date = ? AND topic = ?')
  const dayTopicsOf = db.prepare('SELECT topic AS name, count FROM usage_day_topics WHERE id = ? AND date = ?')
  const sketchOf = db.prepare('SELECT sketch FROM usage_users WHERE id = ? AND date = ? AND client = ?')
  const storeUsers = db.prepare(`
    INSERT INTO usage_users VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
      users = max(users, excluded.users), sketch = excluded.sketch`)
  const totals = db.prepare(
    'SELECT sum(page) AS page, sum(txt) AS txt, sum(mcp) AS mcp, sum(cli) AS cli FROM usage_days WHERE id = ?',
  )
  const days = db.prepare(`SELECT date, ${dayCounters} FROM usage_days WHERE id = ? AND date BETWEEN ? AND ? ORDER BY date`)
  const times = db.prepare('SELECT date, bound, count FROM usage_times WHERE id = ? AND date BETWEEN ? AND ?')
  const users = db.prepare('SELECT date, client, users FROM usage_users WHERE id = ? AND date BETWEEN ? AND ?')
  const topicsOf = db.prepare('SELECT topic AS name, count FROM usage_topics WHERE id = ?')
  const countries = db.prepare('SELECT country AS name, count FROM usage_countries WHERE id = ?')

  function count(id: CountedId, events: UsageEvent[]): void {
    const { days, topics, countries, users } = foldUsage(events)
    const topicsTable = { read: () => topicsOf.all(id), put: putTopic, drop: dropTopic, key: [id] }
    countTopics(topicsTable, topics, maxTopics)
    for (const [date, day] of days)
      countTopics(
        { read: () => dayTopicsOf.all(id, date), put: putDayTopic, drop: dropDayTopic, key: [id, date] },
        day.topics,
        maxDayTopics,
      )
    // The install counts for itself, so that its totals outlive its libraries. Versions repeat the requests of their library.
    for (const counted of isVersion(id) ? [id] : [id, allLibraries]) {
      for (const [date, { counts, times }] of days) {
        countDay.run({ id: counted, date, ...counts })
        for (const [bound, count] of Object.entries(times)) countTime.run(counted, date, Number(bound), count)
      }
      for (const [country, count] of countries) countCountry.run(counted, country, count)
      for (const { date, client, hashes } of users.values()) {
        const before = storedUsers(sketchOf.get(counted, date, client)?.sketch)
        const after = addUsers(before, hashes)
        if (after !== before) storeUsers.run(counted, date, client, toBytes(after), countUsers(after))
      }
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
      const byDate = new Map((days.all(id, from, to) as DayRow[]).map((day) => [day.date, countedDay(day)]))
      for (const { date, bound, count } of times.all(id, from, to))
        Object.assign(byDate.get(String(date))?.times ?? {}, { [Number(bound)]: count })
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
      const dropSketches = db.prepare('UPDATE usage_users SET sketch = NULL WHERE date < ? AND sketch IS NOT NULL')
      dropSketches.run(utcDay(now(), -sketchDays))
      db.prepare('DELETE FROM usage_day_topics WHERE date < ?').run(utcDay(now(), -topicDays))
      transaction(db, () => deleteOrphans(db))
    },
  }
}

const padded = ({ sequence }: PlacedEvent): string => sequence.padStart(sequenceDigits, '0')

const firstOfEach = (events: PlacedEvent[]): PlacedEvent[] => {
  const seen = new Set<string>()
  return events.filter(({ event }) => !seen.has(event.id) && seen.add(event.id))
}

const storedUsers = (sketch: unknown): UniqueUsers => (sketch instanceof Uint8Array ? fromBytes(sketch) : noUsers())

type DayRow = DayCounts & { date: string }

export const countedDay = (day: DayRow): CountedDay => ({ ...day, times: {}, usersByClient: {}, users: 0 })

const counts = (rows: Record<string, unknown>[]): Map<string, number> =>
  new Map(rows.map(({ name, count }) => [String(name), Number(count)]))

const named = (rows: Record<string, unknown>[]): Record<string, number> => Object.fromEntries(counts(rows))

type TopicTable = {
  read(): Record<string, unknown>[]
  put: StatementSync
  drop: StatementSync
  /** The columns before the topic. */
  key: string[]
}

function countTopics({ read, put, drop, key }: TopicTable, added: Map<string, number>, max: number): void {
  if (added.size === 0) return
  const before = counts(read())
  const after = new Map(before)
  for (const [topic, count] of added) countFrequent(after, topic, count, max)
  for (const topic of before.keys()) if (!after.has(topic)) drop.run(...key, topic)
  for (const [topic, count] of after) if (before.get(topic) !== count) put.run(...key, topic, count)
}

/** Sums up events, so that a second of a busy server takes only a few rows. */
function foldUsage(events: UsageEvent[]) {
  const days = new Map<string, FoldedDay>()
  const topics = new Map<string, number>()
  const countries = new Map<string, number>()
  const users = new Map<string, { date: string; client: string; hashes: string[] }>()
  const raise = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const event of events) {
    const date = event.at.slice(0, 10)
    const day = days.get(date) ?? { counts: noCounts(), times: {}, topics: new Map() }
    days.set(date, day)
    for (const counter of raisedCounters(event)) day.counts[counter] += 1
    if (event.question) day.times = sumTimes([day.times, { [boundOf(event.question.ms)]: 1 }])
    for (const topic of new Set(event.topics)) {
      raise(topics, topic)
      raise(day.topics, topic)
    }
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

type FoldedDay = { counts: DayCounts; times: AnswerTimes; topics: Map<string, number> }
