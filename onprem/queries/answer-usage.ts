import { type LibraryId, libraryKey, versionKey } from '../../shared/library.ts'
import { utcDay } from '../../shared/time/utc-day.ts'
import { requests, toMetrics } from '../../shared/usage/read-metrics.ts'
import type { UsageAnswer } from '../../shared/usage/usage-answer.ts'
import { findVisible, storedId, type VisibleLibrariesPorts } from '../store/catalog/visible-libraries.ts'
import type { UsageFigures, UsageRange } from '../store/counters/usage-figures.ts'

const maxLibraries = 200

export type AnswerUsagePorts = VisibleLibrariesPorts & { usageFigures: UsageFigures; now(): Date }

/** The usage of one library, one version or all libraries, with the period before. Throws library_not_found, tag_not_found. */
export function answerUsage(
  ports: AnswerUsagePorts,
  { libraryId: requested, days }: { libraryId?: LibraryId | undefined; days: number },
): UsageAnswer {
  const { usageFigures: figures, catalog } = ports
  const library = requested && findVisible(ports, requested)
  const libraryId = library && requested && storedId(library, requested)
  const id = libraryId && versionKey(libraryId)
  const today = ports.now()
  const dayAgo = (ago: number) => utcDay(today, -ago)
  const range = { from: dayAgo(days - 1), to: dayAgo(0) }
  const before = { from: dayAgo(2 * days - 1), to: dayAgo(days) }
  const since = figures.since(libraryId && libraryKey(libraryId))
  const countedDates = Array.from({ length: days }, (_, n) => dayAgo(days - 1 - n)).filter(
    (date) => since !== undefined && date >= since,
  )
  const used = id === undefined ? figures.libraries(range) : []
  const titles = new Map(used.length > 0 ? catalog.libraries().map((each) => [each.id.toLowerCase(), each]) : [])
  const read = (within: UsageRange, dayCount: number, libraries: number) => {
    const dayFigures = figures.days(id, within)
    const { daily, mcpClients } = toMetrics({ total: noRequests, days: dayFigures, topics: {}, countries: {} })
    const unanswered = figures.unanswered(id, within)
    const sum = (surface: keyof typeof noRequests) => dayFigures.reduce((all, each) => all + each[surface], 0)
    const sums = { page: sum('page'), txt: sum('txt'), mcp: sum('mcp'), cli: sum('cli') }
    const users = mcpClients.dailyData.reduce((all, each) => all + each.totalUniqueUsers, 0)
    const totals = {
      ...sums,
      total: requests(sums),
      mcpUsersPerDay: dayCount === 0 ? 0 : users / dayCount,
      unanswered: unanswered.reduce((all, each) => all + each.count, 0),
      libraries,
    }
    return {
      daily,
      mcpClients,
      unanswered,
      totals: id !== undefined ? { ...totals, libraries: Math.sign(totals.total) } : totals,
    }
  }
  const period = read(range, countedDates.length, used.length)
  const hasPrevious = since !== undefined && since <= before.from
  const countsByDay = new Map(period.daily.map((each) => [each.date, each]))
  const unansweredByDay = new Map(period.unanswered.map((each) => [each.date, each.count]))
  return {
    libraryId: library ? library.id + (libraryId?.version === undefined ? '' : `@${libraryId.version}`) : null,
    days,
    ...range,
    since: since ?? null,
    period: period.totals,
    previous: hasPrevious ? read(before, days, id === undefined ? figures.libraries(before).length : 0).totals : null,
    total: figures.total(id),
    daily: countedDates.map((date) => ({
      ...(countsByDay.get(date) ?? { date, ...noRequests, total: 0 }),
      unanswered: unansweredByDay.get(date) ?? 0,
    })),
    mcpClients: period.mcpClients,
    topics: figures.topics(id),
    countries: figures.countries(id),
    libraries: used.slice(0, maxLibraries).map(({ key, ...counts }) => ({
      libraryId: titles.get(key)?.id ?? key,
      title: titles.get(key)?.title ?? key,
      ...counts,
      total: requests(counts),
    })),
  }
}

const noRequests = { page: 0, txt: 0, mcp: 0, cli: 0 }
