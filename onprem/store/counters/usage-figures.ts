import type { DatabaseSync } from 'node:sqlite'
import type { Counted, CountedDay, CountedId } from '../../../shared/usage/counters.ts'
import type { UsageRange } from '../../../shared/usage/summarize-usage.ts'
import { type DayCounts, dayCounters, type Surface } from '../../../shared/usage/usage-event.ts'
import { allClients, allLibraries } from './delete-usage.ts'
import { countedDay } from './sqlite-counters.ts'

export type LibraryUsage = { key: string } & Record<Surface, number>

/** One library or version, the install if it is undefined, or the sum of some libraries by their keys. */
export type Counters = CountedId | readonly string[] | undefined

export type UsageFigures = {
  /** The first day that something is known of the library, or of the install; undefined if there is none. */
  since(key: string | undefined): string | undefined
  /** In the sum of some libraries, a user counts once for each. */
  days(of: Counters, range: UsageRange): CountedDay[]
  total(of: Counters): Counted['total']
  /** The most frequent first. Those of deleted libraries are omitted. */
  topics(of: Counters, range: UsageRange): { topic: string; count: number }[]
  countries(of: Counters): { country: string; count: number }[]
  /** Questions that nothing in the library matched. Days without such questions are omitted, oldest first. */
  unanswered(key: string, from: string): { total: number; daily: { date: string; count: number }[] }
  /** Libraries with requests in the range, the most used first. */
  libraries(range: UsageRange): LibraryUsage[]
  /** Requests of each library and day that has some. */
  daily(keys: readonly string[], range: UsageRange): { key: string; date: string; count: number }[]
}

const maxTopics = 200
const sums =
  'coalesce(sum(page), 0) AS page, coalesce(sum(txt), 0) AS txt, coalesce(sum(mcp), 0) AS mcp, coalesce(sum(cli), 0) AS cli'
const inRange = 'date BETWEEN $from AND $to'
const isChosen = 'id IN (SELECT value FROM json_each($ids))'
const idsOf = (of: Counters): string => JSON.stringify(of === undefined ? [allLibraries] : typeof of === 'string' ? [of] : of)

export function usageFigures(db: DatabaseSync): UsageFigures {
  const firstDayOfOne = db.prepare(`
    SELECT min(substr(day, 1, 10)) AS day FROM (
      SELECT min(date) AS day FROM usage_days WHERE id = $id
      UNION ALL SELECT min(created_at) FROM jobs WHERE library = $id
      UNION ALL SELECT min(updated_at) FROM versions WHERE key = $id)`)
  const firstDayOfAll = db.prepare(`
    SELECT min(substr(day, 1, 10)) AS day FROM (
      SELECT min(date) AS day FROM usage_days WHERE id = '${allLibraries}'
      UNION ALL SELECT min(created_at) FROM jobs
      UNION ALL SELECT min(updated_at) FROM versions
      UNION ALL SELECT min(created_at) FROM users)`)
  const daySums = dayCounters.map((name) => `sum(${name}) AS ${name}`)
  const days = db.prepare(`SELECT date, ${daySums} FROM usage_days WHERE ${isChosen} AND ${inRange} GROUP BY date ORDER BY date`)
  const times = db.prepare(
    `SELECT date, bound, sum(count) AS count FROM usage_times WHERE ${isChosen} AND ${inRange} GROUP BY date, bound`,
  )
  const users = db.prepare(
    `SELECT date, client, sum(users) AS users FROM usage_users WHERE ${isChosen} AND ${inRange} GROUP BY date, client`,
  )
  const total = db.prepare(`SELECT ${sums} FROM usage_days WHERE ${isChosen}`)
  const countries = db.prepare(
    `SELECT country, sum(count) AS count FROM usage_countries WHERE ${isChosen} GROUP BY country ORDER BY 2 DESC, country`,
  )
  // One condition for both would read all rows also for one library.
  const topicsOf = (chosen: string) =>
    db.prepare(`
      SELECT topic, sum(count) AS count FROM usage_day_topics WHERE ${chosen} AND ${inRange}
      GROUP BY topic ORDER BY 2 DESC, topic LIMIT ${maxTopics}`)
  const topicsOfChosen = topicsOf(isChosen)
  const topicsOfAll = topicsOf('id IN (SELECT key FROM shown_libraries)')
  const allUnanswered = db.prepare('SELECT coalesce(sum(unanswered), 0) AS total FROM usage_days WHERE id = ?')
  const unanswered = db.prepare(
    'SELECT date, unanswered AS count FROM usage_days WHERE id = ? AND date >= ? AND unanswered > 0 ORDER BY date',
  )
  const libraries = db.prepare(`
    SELECT id AS key, ${sums} FROM usage_days WHERE id IN (SELECT key FROM shown_libraries) AND ${inRange}
    GROUP BY id HAVING sum(page + txt + mcp + cli) > 0 ORDER BY sum(page + txt + mcp + cli) DESC, id`)
  const daily = db.prepare(`
    SELECT id AS key, date, page + txt + mcp + cli AS count FROM usage_days
    WHERE id IN (SELECT value FROM json_each($keys)) AND ${inRange}`)
  return {
    since: (id) => ((id === undefined ? firstDayOfAll.get() : firstDayOfOne.get({ id }))?.day as string | null) ?? undefined,
    days(of, range) {
      const ids = idsOf(of)
      const byDate = new Map((days.all({ ids, ...range }) as DayRow[]).map((day) => [day.date, countedDay(day)]))
      for (const { date, bound, count } of times.all({ ids, ...range }) as TimeRow[]) {
        const day = byDate.get(date)
        if (day) day.times[bound] = count
      }
      for (const { date, client, users: count } of users.all({ ids, ...range }) as UsersRow[]) {
        const day = byDate.get(date)
        if (day && client === allClients) day.users = count
        else if (day) Object.defineProperty(day.usersByClient, client, { value: count, enumerable: true })
      }
      return [...byDate.values()]
    },
    total: (of) => ({ ...(total.get({ ids: idsOf(of) }) as Counted['total']) }),
    topics: (of, range) =>
      (of === undefined ? topicsOfAll.all(range) : topicsOfChosen.all({ ids: idsOf(of), ...range })) as {
        topic: string
        count: number
      }[],
    countries: (of) => countries.all({ ids: idsOf(of) }) as { country: string; count: number }[],
    unanswered: (key, from) => ({
      total: Number(allUnanswered.get(key)?.total),
      daily: unanswered.all(key, from).map(({ date, count }) => ({ date: String(date), count: Number(count) })),
    }),
    libraries: (range) => libraries.all(range) as LibraryUsage[],
    daily: (keys, range) => daily.all({ keys: JSON.stringify(keys), ...range }) as DailyRow[],
  }
}

type DayRow = DayCounts & { date: string }
type TimeRow = { date: string; bound: number; count: number }
type DailyRow = { key: string; date: string; count: number }
type UsersRow = { date: string; client: string; users: number }
