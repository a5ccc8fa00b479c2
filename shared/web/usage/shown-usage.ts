export type SurfaceCounts = { mcp: number; cli: number; page: number; txt: number }
export type CountryCount = { country: string; count: number }
export type UsageTotals = SurfaceCounts & { total: number; mcpUsersPerDay: number; unanswered: number; libraries: number }

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
  daily: ({ date: string } & SurfaceCounts)[]
  mcpClients: { dailyData: { date: string; uniqueUsersByClient: Record<string, number> }[] }
  topics: { topic: string; count: number }[]
  countries: CountryCount[]
}

/** The surfaces in the order of the chart, from below. */
export const shownUsage = [
  { surface: 'mcp', label: 'MCP', color: 'var(--surface-mcp)' },
  { surface: 'cli', label: 'Command line', color: 'var(--surface-cli)' },
  { surface: 'page', label: 'Web page', color: 'var(--surface-page)' },
  { surface: 'txt', label: 'Other programs', color: 'var(--surface-txt)' },
] as const

const format = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** 2026-11-03 → 3 Nov 2026. */
export const formatDay = (day: string): string => format.format(new Date(day))
