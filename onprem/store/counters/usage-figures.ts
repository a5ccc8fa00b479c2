import type { DatabaseSync } from 'node:sqlite'
import type { Counted, CountedDay, CountedId } from '../../../shared/usage/counters.ts'
import type { UsageRange } from '../../../shared/usage/summarize-usage.ts'
import type { Surface } from '../../../shared/usage/usage-event.ts'
import { allClients, allLibraries } from './sqlite-counters.ts'

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
  /** Requests of each library and day that has some. */
  daily(keys: readonly string[], range: UsageRange): { key: string; date: string; count: number }[]
}

const maxTopics = 200
const sums =
  'coalesce(sum(page), 0) AS page, coalesce(sum(txt), 0) AS txt, coalesce(sum(mcp), 0) AS mcp, coalesce(sum(cli), 0) AS cli'

/** Two sets of statements, because one condition for both would read all rows also for one library. */
export function usageFigures(db: DatabaseSync): UsageFigures {
  const ofOne = {
    firstDay: db.prepare(`
      SELECT min(substr(day, 1, 10)) AS day FROM (
        SELECT min(date) AS day FROM usage_days WHERE id = $id
        UNION ALL SELECT min(date) FROM usage_unanswered WHERE id = $id
        UNION ALL SELECT min(created_at) FROM jobs WHERE library = $id
        UNION ALL SELECT min(updated_at) FROM versions WHERE key = $id)`),
    ...figuresOf(db, 'id = $id'),
  }
  const ofAll = {
    firstDay: db.prepare(`
      SELECT min(substr(day, 1, 10)) AS day FROM (
        SELECT min((SELECT min(date) FROM usage_days WHERE id = key)) AS day FROM libraries
        UNION ALL SELECT min((SELECT min(date) FROM usage_unanswered WHERE id = key)) FROM libraries
        UNION ALL SELECT min(date) FROM usage_days WHERE id = '${allLibraries}'
        UNION ALL SELECT min(created_at) FROM jobs
        UNION ALL SELECT min(updated_at) FROM versions
        UNION ALL SELECT min(created_at) FROM users)`),
    // Counters of versions repeat those of their library.
    ...figuresOf(db, `id IN (SELECT key FROM shown_libraries UNION ALL SELECT '${allLibraries}')`),
  }
  const users = db.prepare('SELECT date, client, users FROM usage_users WHERE id = $id AND date BETWEEN $from AND $to')
  const libraries = db.prepare(`
    SELECT id AS key, ${sums} FROM usage_days WHERE id IN (SELECT key FROM shown_libraries) AND date BETWEEN $from AND $to
    GROUP BY id ORDER BY sum(page + txt + mcp + cli) DESC, id`)
  const daily = db.prepare(`
    SELECT id AS key, date, page + txt + mcp + cli AS count FROM usage_days
    WHERE id IN (SELECT value FROM json_each($keys)) AND date BETWEEN $from AND $to`)
  const figures = (id: CountedId | undefined) => (id === undefined ? ofAll : ofOne)
  const of = (id: CountedId | undefined): { id?: CountedId } => (id === undefined ? {} : { id })
  return {
    since: (id) => (figures(id).firstDay.get(of(id))?.day as string | null) ?? undefined,
    days(id, range) {
      const byDate = new Map(
        (figures(id).days.all({ ...of(id), ...range }) as DayRow[]).map((day) => [
          day.date,
          { ...day, usersByClient: {}, users: 0 },
        ]),
      )
      for (const { date, client, users: count } of users.all({ id: id ?? allLibraries, ...range }) as UsersRow[]) {
        const day = byDate.get(date)
        if (day && client === allClients) day.users = count
        else if (day) Object.defineProperty(day.usersByClient, client, { value: count, enumerable: true })
      }
      return [...byDate.values()]
    },
    total: (id) => ({ ...(figures(id).total.get(of(id)) as Counted['total']) }),
    topics: (id) => figures(id).topics.all(of(id)) as { topic: string; count: number }[],
    countries: (id) => figures(id).countries.all(of(id)) as { country: string; count: number }[],
    unanswered: (id, range) => figures(id).unanswered.all({ ...of(id), ...range }) as { date: string; count: number }[],
    libraries: (range) => libraries.all(range) as LibraryUsage[],
    daily: (keys, range) => daily.all({ keys: JSON.stringify(keys), ...range }) as DailyRow[],
  }
}

function figuresOf(db: DatabaseSync, chosen: string) {
  return {
    days: db.prepare(
      `SELECT date, ${sums} FROM usage_days WHERE ${chosen} AND date BETWEEN $from AND $to GROUP BY date ORDER BY date`,
    ),
    total: db.prepare(`SELECT ${sums} FROM usage_days WHERE ${chosen}`),
    topics: db.prepare(
      `SELECT topic, sum(count) AS count FROM usage_topics WHERE ${chosen} GROUP BY topic ORDER BY 2 DESC, topic LIMIT ${maxTopics}`,
    ),
    countries: db.prepare(
      `SELECT country, sum(count) AS count FROM usage_countries WHERE ${chosen} GROUP BY country ORDER BY 2 DESC, country`,
    ),
    unanswered: db.prepare(
      `SELECT date, sum(count) AS count FROM usage_unanswered WHERE ${chosen} AND date BETWEEN $from AND $to GROUP BY date ORDER BY date`,
    ),
  }
}

type DayRow = Omit<CountedDay, 'usersByClient' | 'users'>
type DailyRow = { key: string; date: string; count: number }
type UsersRow = { date: string; client: string; users: number }
