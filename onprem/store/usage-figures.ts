import type { DatabaseSync } from 'node:sqlite'
import type { Counted, CountedDay, CountedId } from '../../shared/usage/counters.ts'
import type { Surface } from '../../shared/usage/usage-event.ts'
import { allClients, allLibraries } from './fold-usage.ts'

/** Days from `from` to `to`, inclusive (`YYYY-MM-DD`, UTC). */
export type UsageRange = { from: string; to: string }

export type LibraryUsage = { key: string } & Record<Surface, number>

/** Reads the counters of one library or version, or of all libraries if `id` is undefined. */
export type UsageFigures = {
  /** The first day that something is known of the library, or of the install; undefined if there is none. */
  since(key: string | undefined): string | undefined
  days(id: CountedId | undefined, range: UsageRange): CountedDay[]
  total(id: CountedId | undefined): Counted['total']
  /** The most frequent first. */
  topics(id: CountedId | undefined): { topic: string; count: number }[]
  countries(id: CountedId | undefined): { country: string; count: number }[]
  unanswered(id: CountedId | undefined, range: UsageRange): { date: string; count: number }[]
  /** Libraries with requests in the range, the most used first. */
  libraries(range: UsageRange): LibraryUsage[]
}

const maxTopics = 200
/** Counters of versions repeat those of their library, so the sum of all libraries omits them. */
const chosen = '(CASE WHEN $id IS NULL THEN id IN (SELECT key FROM libraries) ELSE id = $id END)'
const sums =
  'coalesce(sum(page), 0) AS page, coalesce(sum(txt), 0) AS txt, coalesce(sum(mcp), 0) AS mcp, coalesce(sum(cli), 0) AS cli'

export function usageFigures(db: DatabaseSync): UsageFigures {
  const firstDay = db.prepare(`
    SELECT min(substr(day, 1, 10)) AS day FROM (
      SELECT min(date) AS day FROM usage_days WHERE ${chosen}
      UNION ALL SELECT min(date) FROM usage_unanswered WHERE ${chosen}
      UNION ALL SELECT min(created_at) FROM jobs WHERE $id IS NULL OR key = $id
      UNION ALL SELECT min(updated_at) FROM versions WHERE $id IS NULL OR key = $id
      UNION ALL SELECT min(created_at) FROM users WHERE $id IS NULL)`)
  const days = db.prepare(
    `SELECT date, ${sums} FROM usage_days WHERE ${chosen} AND date BETWEEN $from AND $to GROUP BY date ORDER BY date`,
  )
  const users = db.prepare('SELECT date, client, users FROM usage_users WHERE id = $id AND date BETWEEN $from AND $to')
  const total = db.prepare(`SELECT ${sums} FROM usage_days WHERE ${chosen}`)
  const topics = db.prepare(
    `SELECT topic, sum(count) AS count FROM usage_topics WHERE ${chosen} GROUP BY topic ORDER BY 2 DESC, topic LIMIT ${maxTopics}`,
  )
  const countries = db.prepare(
    `SELECT country, sum(count) AS count FROM usage_countries WHERE ${chosen} GROUP BY country ORDER BY 2 DESC, country`,
  )
  const unanswered = db.prepare(
    `SELECT date, sum(count) AS count FROM usage_unanswered WHERE ${chosen} AND date BETWEEN $from AND $to GROUP BY date ORDER BY date`,
  )
  const libraries = db.prepare(`
    SELECT id AS key, ${sums} FROM usage_days WHERE id IN (SELECT key FROM libraries) AND date BETWEEN $from AND $to
    GROUP BY id ORDER BY sum(page + txt + mcp + cli) DESC, id`)
  const of = (id: CountedId | undefined) => ({ id: id ?? null })
  return {
    since: (id) => (firstDay.get(of(id))?.day as string | null) ?? undefined,
    days(id, range) {
      const byDate = new Map(
        (days.all({ ...of(id), ...range }) as DayRow[]).map((day) => [day.date, { ...day, usersByClient: {}, users: 0 }]),
      )
      for (const { date, client, users: count } of users.all({ id: id ?? allLibraries, ...range }) as UsersRow[]) {
        const day = byDate.get(date)
        if (day && client === allClients) day.users = count
        else if (day) Object.defineProperty(day.usersByClient, client, { value: count, enumerable: true })
      }
      return [...byDate.values()]
    },
    total: (id) => ({ ...(total.get(of(id)) as Counted['total']) }),
    topics: (id) => topics.all(of(id)) as { topic: string; count: number }[],
    countries: (id) => countries.all(of(id)) as { country: string; count: number }[],
    unanswered: (id, range) => unanswered.all({ ...of(id), ...range }) as { date: string; count: number }[],
    libraries: (range) => libraries.all(range) as LibraryUsage[],
  }
}

type DayRow = Omit<CountedDay, 'usersByClient' | 'users'>
type UsersRow = { date: string; client: string; users: number }
