import { utcDay } from '../time/utc-day.ts'
import type { Counted, CountedDay } from './counters.ts'
import { requests, toMetrics } from './read-metrics.ts'
import type { UsageAnswer } from './usage-answer.ts'
import type { Surface } from './usage-event.ts'

/** Days from `from` to `to`, inclusive (`YYYY-MM-DD`, UTC). */
export type UsageRange = { from: string; to: string }

export type LibraryUsage = { libraryId: string; title: string } & Record<Surface, number>

/** The counters of one library, one version, or several libraries together. */
export type CountedUsage = {
  /** The id of the library or version; null for several libraries. */
  libraryId: string | null
  /** The first day that something is known of. */
  since: string | undefined
  days(range: UsageRange): CountedDay[]
  unanswered(range: UsageRange): { date: string; count: number }[]
  /** Libraries with requests in the range, the most used first. Not called for one library. */
  libraries(range: UsageRange): LibraryUsage[]
  total: Counted['total']
  topics: { topic: string; count: number }[]
  countries: { country: string; count: number }[]
}

const maxLibraries = 200

/** The last days, including today, and as many days before them. */
export function usageRanges(today: Date, days: number): { period: UsageRange; before: UsageRange } {
  const dayAgo = (ago: number) => utcDay(today, -ago)
  return { period: { from: dayAgo(days - 1), to: dayAgo(0) }, before: { from: dayAgo(2 * days - 1), to: dayAgo(days) } }
}

/** The usage of the last days, with the totals of the days before. */
export function summarizeUsage(usage: CountedUsage, today: Date, days: number): UsageAnswer {
  const { libraryId, since, total, topics, countries } = usage
  const { period: range, before } = usageRanges(today, days)
  const countedDates = Array.from({ length: days }, (_, n) => utcDay(today, n + 1 - days)).filter(
    (date) => since !== undefined && date >= since,
  )
  const librariesIn = (within: UsageRange) => (libraryId === null ? usage.libraries(within) : [])
  const used = librariesIn(range)
  const period = summarizePeriod(usage, range, countedDates.length, used.length)
  const hasPrevious = since !== undefined && since <= before.from
  const countsByDay = new Map(period.daily.map((each) => [each.date, each]))
  const unansweredByDay = new Map(period.unanswered.map((each) => [each.date, each.count]))
  return {
    libraryId,
    days,
    ...range,
    since: since ?? null,
    period: period.totals,
    previous: hasPrevious ? summarizePeriod(usage, before, days, librariesIn(before).length).totals : null,
    total,
    daily: countedDates.map((date) => ({
      ...(countsByDay.get(date) ?? { date, ...noRequests, total: 0 }),
      unanswered: unansweredByDay.get(date) ?? 0,
    })),
    mcpClients: period.mcpClients,
    topics,
    countries,
    libraries: used.slice(0, maxLibraries).map((counts) => ({ ...counts, total: requests(counts) })),
  }
}

function summarizePeriod(usage: CountedUsage, within: UsageRange, dayCount: number, libraries: number) {
  const counted = usage.days(within)
  const { daily, mcpClients } = toMetrics({ total: noRequests, days: counted, topics: {}, countries: {} })
  const unanswered = usage.unanswered(within)
  const sum = (surface: Surface) => counted.reduce((all, each) => all + each[surface], 0)
  const sums = { page: sum('page'), txt: sum('txt'), mcp: sum('mcp'), cli: sum('cli') }
  const users = mcpClients.dailyData.reduce((all, each) => all + each.totalUniqueUsers, 0)
  const total = requests(sums)
  const totals = {
    ...sums,
    total,
    mcpUsersPerDay: dayCount === 0 ? 0 : users / dayCount,
    unanswered: unanswered.reduce((all, each) => all + each.count, 0),
    libraries: usage.libraryId === null ? libraries : Math.sign(total),
  }
  return { daily, mcpClients, unanswered, totals }
}

const noRequests = { page: 0, txt: 0, mcp: 0, cli: 0 }
