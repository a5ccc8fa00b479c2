import { utcDay } from '../time/utc-day.ts'
import { percentilesOf, sumTimes } from './answer-times.ts'
import type { Counted, CountedDay } from './counters.ts'
import { requests, toMetrics } from './read-metrics.ts'
import type { UsageAnswer } from './usage-answer.ts'
import { type DayCounts, dayCounters, noCounts, outcomes, type Surface } from './usage-event.ts'

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
  /** Libraries with requests in the range, the most used first. Not called for one library. */
  libraries(range: UsageRange): LibraryUsage[]
  total: Counted['total']
  /** The most frequent of the range, or of all time if the topics of a day are not counted. */
  topics: { perDay: boolean; of(range: UsageRange): { topic: string; count: number }[] }
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
  const countedByDay = new Map(period.days.map((each) => [each.date, each]))
  return {
    libraryId,
    days,
    ...range,
    since: since ?? null,
    period: period.totals,
    previous: hasPrevious ? summarizePeriod(usage, before, days, librariesIn(before).length).totals : null,
    total,
    daily: countedDates.map((date) => ({ date, ...figuresOf([countedByDay.get(date) ?? idle]) })),
    mcpClients: period.mcpClients,
    topics: topics.of(range),
    topicsFrom: topics.perDay ? range.from : null,
    countries,
    libraries: used.slice(0, maxLibraries).map((counts) => ({ ...counts, total: requests(counts) })),
  }
}

function summarizePeriod(usage: CountedUsage, within: UsageRange, dayCount: number, libraries: number) {
  const days = usage.days(within)
  const { mcpClients } = toMetrics({ total: noCounts(), days, topics: {}, countries: {} })
  const users = mcpClients.dailyData.reduce((all, each) => all + each.totalUniqueUsers, 0)
  const figures = figuresOf(days)
  const shareOf = (count: number) => (figures.questions === 0 ? null : count / figures.questions)
  const totals = {
    ...figures,
    shareAnswered: shareOf(figures.answered),
    shareDeclined: shareOf(figures.uncovered + figures.unanswered),
    mcpUsersPerDay: dayCount === 0 ? 0 : users / dayCount,
    libraries: usage.libraryId === null ? libraries : Math.sign(figures.total),
  }
  return { days, mcpClients, totals }
}

type Figures = Pick<CountedDay, 'times'> & DayCounts

const idle: Figures = { ...noCounts(), times: {} }

/** The sums of days: requests, questions by their outcome, and the times of their answers. */
function figuresOf(days: readonly Figures[]) {
  const sums = noCounts()
  for (const day of days) for (const counter of dayCounters) sums[counter] += day[counter]
  const questions = outcomes.reduce((all, outcome) => all + sums[outcome], 0)
  return { ...sums, total: requests(sums), questions, answerMs: percentilesOf(sumTimes(days.map(({ times }) => times))) }
}
