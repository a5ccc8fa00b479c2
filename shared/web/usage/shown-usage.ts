import { utcDay } from '../../time/utc-day.ts'

export type SurfaceCounts = { mcp: number; cli: number; page: number; txt: number }
export type CountryCount = { country: string; count: number }
/** Questions by how they ended, and the times of their answers. */
type QuestionCounts = {
  questions: number
  answered: number
  uncovered: number
  unanswered: number
  answerMs: { p50: number; p95: number; p99: number } | null
}
export type UsageTotals = SurfaceCounts &
  QuestionCounts & {
    total: number
    shareAnswered: number | null
    shareDeclined: number | null
    mcpUsersPerDay: number
    libraries: number
  }

/** The usage that the parts of this folder show: `daily` has no days before `since`. */
export type ShownUsage = {
  days: number
  from: string
  to: string
  since: string | null
  /** The requests of all time. */
  total: SurfaceCounts
  period: UsageTotals
  previous: UsageTotals | null
  daily: ({ date: string } & SurfaceCounts & QuestionCounts)[]
  mcpClients: { dailyData: { date: string; uniqueUsersByClient: Record<string, number> }[] }
  topics: { topic: string; count: number }[]
  /** Null if the topics are those of all time. */
  topicsFrom: string | null
  countries: CountryCount[]
}

/** The surfaces in the order of the chart, from below. */
export const shownUsage = [
  { surface: 'mcp', label: 'MCP', color: 'var(--surface-mcp)' },
  { surface: 'cli', label: 'Command line', color: 'var(--surface-cli)' },
  { surface: 'page', label: 'Web page', color: 'var(--surface-page)' },
  { surface: 'txt', label: 'Other programs', color: 'var(--surface-txt)' },
] as const

/** The outcomes of questions in the order of the chart, from below. */
export const shownOutcomes = [
  { outcome: 'answered', label: 'Answered', color: 'var(--surface-mcp)' },
  { outcome: 'uncovered', label: 'Not covered', color: 'var(--surface-page)' },
  { outcome: 'unanswered', label: 'Nothing found', color: 'var(--bad)' },
] as const

export const shownPercentiles = [
  { percentile: 'p50', label: 'Half of the answers', color: 'var(--surface-mcp)' },
  { percentile: 'p95', label: '95%', color: 'var(--surface-cli)' },
  { percentile: 'p99', label: '99%', color: 'var(--surface-page)' },
] as const

const format = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

const shortFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** 2026-11-03 → 3 Nov. */
export const shortDay = (day: string): string => shortFormat.format(new Date(day))

/** 2026-11-03 → 3 Nov 2026. */
export const formatDay = (day: string): string => format.format(new Date(day))

const seconds = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

/** 250 → "250 ms", 1580 → "1.6 s". */
export const formatAnswerTime = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${seconds.format(ms / 1000)} s`)

/** Every day of the period; those without data have only their date. */
export function daysOf({ from, days, daily }: ShownUsage): ({ date: string } & Partial<ShownUsage['daily'][number]>)[] {
  const countsByDate = new Map(daily.map((each) => [each.date, each]))
  return Array.from({ length: days }, (_, n) => {
    const date = utcDay(from, n)
    return countsByDate.get(date) ?? { date }
  })
}
