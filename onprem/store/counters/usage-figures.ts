import type { DatabaseSync } from 'node:sqlite'
import type { Counted, CountedDay, CountedId } from '../../../shared/usage/counters.ts'
import type { UsageRange } from '../../../shared/usage/summarize-usage.ts'
import { type DayCounts, dayCounters, type Surface } from '../../../shared/usage/usage-event.ts'
import { allClients, allLibraries } from './delete-usage.ts'
import { countedDay } from './sqlite-counters.ts'

export type LibraryUsage = { key: string } & Record<Surface, number>

/** Reads the counters of one library or version, or of the install if `id` is undefined. */
export type UsageFigures = {
  /** The first day that something is known of the library, or of the install; undefined if there is none. */
  since(key: string | undefined): string | undefined
  days(id: CountedId | undefined, range: UsageRange): CountedDay[]
  total(id: CountedId | undefined): Counted['total']
  /** The most frequent first. Those of deleted libraries are omitted. */
  topics(id: CountedId | undefined, range: UsageRange): { topic: string; count: number }[]
  countries(id: CountedId | undefined): { country: string; count: number }[]
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
  const days = db.prepare(`SELECT date, ${dayCounters} FROM usage_days WHERE id = $id AND ${inRange} ORDER BY date`)
  const times = db.prepare(`SELECT date, bound, count FROM usage_times WHERE id = $id AND ${inRange}`)
  const users = db.prepare(`SELECT date, client, users FROM usage_users WHERE id = $id AND ${inRange}`)
  const total = db.prepare(`SELECT ${sums} FROM usage_days WHERE id = ?`)
  const countries = db.prepare('SELECT country, count FROM usage_countries WHERE id = ? ORDER BY 2 DESC, country')
  // One condition for both would read all rows also for one library.
  const topicsOf = (chosen: string) =>
    db.prepare(`
      SELECT topic, sum(count) AS count FROM usage_day_topics WHERE ${chosen} AND ${inRange}
      GROUP BY topic ORDER BY 2 DESC, topic LIMIT ${maxTopics}`)
  const topicsOfOne = topicsOf('id = $id')
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
    days(id = allLibraries, range) {
      const byDate = new Map((days.all({ id, ...range }) as DayRow[]).map((day) => [day.date, countedDay(day)]))
      for (const { date, bound, count } of times.all({ id, ...range }) as TimeRow[]) {
        const day = byDate.get(date)
        if (day) day.times[bound] = count
      }
      for (const { date, client, users: count } of users.all({ id, ...range }) as UsersRow[]) {
        const day = byDate.get(date)
        if (day && client === allClients) day.users = count
        else if (day) Object.defineProperty(day.usersByClient, client, { value: count, enumerable: true })
      }
      return [...byDate.values()]
    },
    total: (id = allLibraries) => ({ ...(total.get(id) as Counted['total']) }),
    topics: (id, range) =>
      (id === undefined ? topicsOfAll.all(range) : topicsOfOne.all({ id, ...range })) as { topic: string; count: number }[],
    countries: (id = allLibraries) => countries.all(id) as { country: string; count: number }[],
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
