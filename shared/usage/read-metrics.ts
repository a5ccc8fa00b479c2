import { utcDay } from '../time/utc-day.ts'
import type { Counted, CountedDay, CountedId, Counters } from './counters.ts'
import { type Surface, surfaces } from './usage-event.ts'

type Stats = Record<Surface, number>

/** The usage of a library as its owner sees it, with exactly the fields of the API. */
export type LibraryMetrics = {
  /** All-time totals. */
  total: Stats
  /** Counts by UTC day, oldest first, without idle days. */
  daily: ({ date: string; total: number } & Stats)[]
  /** Users of the mcp surface, oldest first, without days that had none. */
  mcpClients: { dailyData: { date: string; uniqueUsersByClient: Record<string, number>; totalUniqueUsers: number }[] }
  /** All-time, most frequent first, then by name. */
  topics: { topic: string; count: number }[]
  countries: { country: string; count: number }[]
}

/** Metrics with the last `days` UTC days, including today. */
export async function readMetrics(
  { counters, now }: { counters: Pick<Counters, 'read'>; now(): Date },
  id: CountedId,
  days: number,
): Promise<LibraryMetrics> {
  const today = now()
  return toMetrics(await counters.read(id, utcDay(today, 1 - days), utcDay(today)))
}

export function toMetrics({ total, days, topics, countries }: Counted): LibraryMetrics {
  const oldestFirst = days.toSorted((a, b) => (a.date < b.date ? -1 : 1))
  return {
    total: statsOf(total),
    daily: oldestFirst.map((day) => ({ date: day.date, ...statsOf(day), total: requests(day) })).filter((day) => day.total > 0),
    mcpClients: { dailyData: oldestFirst.map(usersOf).filter((day) => day.totalUniqueUsers > 0) },
    topics: ranked(topics).map(([topic, count]) => ({ topic, count })),
    countries: ranked(countries).map(([country, count]) => ({ country, count })),
  }
}

const statsOf = ({ page, txt, mcp, cli }: Stats): Stats => ({ page, txt, mcp, cli })

/** Requests of all surfaces. */
export const requests = (stats: Stats): number => surfaces.reduce((sum, surface) => sum + stats[surface], 0)

/** Corrects estimates of large sets: the total is never lower than the users of one client. */
function usersOf({ date, usersByClient, users }: CountedDay) {
  const byClient = Object.entries(usersByClient).sort(([a], [b]) => (a < b ? -1 : 1))
  const totalUniqueUsers = Math.max(users, ...byClient.map(([, count]) => count))
  return { date, uniqueUsersByClient: Object.fromEntries(byClient), totalUniqueUsers }
}

const ranked = (counts: Record<string, number>): [string, number][] =>
  Object.entries(counts).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
