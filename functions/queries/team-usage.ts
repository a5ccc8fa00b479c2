import { keyOfVersion, type LibraryId } from '../../shared/library.ts'
import { sumTimes } from '../../shared/usage/answer-times.ts'
import type { Counted, CountedDay } from '../../shared/usage/counters.ts'
import { requests } from '../../shared/usage/read-metrics.ts'
import { type CountedUsage, summarizeUsage, type UsageRange, usageRanges } from '../../shared/usage/summarize-usage.ts'
import type { UsageAnswer } from '../../shared/usage/usage-answer.ts'
import { dayCounters, noCounts, type Surface } from '../../shared/usage/usage-event.ts'
import type { TeamspaceCaller } from '../access/caller.ts'
import type { Teamspaces } from '../access/teamspaces.ts'
import { ownedLibrary, owns } from '../access/visibility.ts'
import type { CatalogRecord } from '../catalog/catalog-record.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { HostedCounters } from '../counting/hosted-counters.ts'
import { servedVersion } from './served-version.ts'

export type TeamUsagePorts = {
  catalog: Pick<HostedCatalog, 'record' | 'records'>
  counters: Pick<HostedCounters, 'readEach'>
  teamspaces: Pick<Teamspaces, 'owned'>
  now(): Date
}

type CountedLibrary = { record: CatalogRecord; counted: Counted }

const maxTopics = 200

/**
 * The usage of a library, or of one version of it, for the teamspace that owns it. Throws library_not_found, access_denied,
 * tag_not_found.
 */
export async function libraryUsage(
  ports: TeamUsagePorts,
  caller: TeamspaceCaller,
  { id, days }: { id: LibraryId; days: number },
): Promise<UsageAnswer> {
  const record = await ownedLibrary(ports.catalog, caller, id)
  const version = id.version === undefined ? undefined : servedVersion(record, id).version
  const [counted] = await ports.counters.readEach([keyOfVersion(record.key, version)], ...readRange(ports, days))
  const libraryId = record.library.id + (version === undefined ? '' : `@${version}`)
  return summarizeUsage(usageOf(libraryId, counted ? [{ record, counted }] : []), ports.now(), days)
}

/**
 * The usage of all libraries that a teamspace owns. A user of several libraries counts once for each: the counters of a library do not
 * say who its users are.
 */
export async function teamUsage(ports: TeamUsagePorts, caller: TeamspaceCaller, days: number): Promise<UsageAnswer> {
  const keys = await ports.teamspaces.owned(caller.teamspace)
  const owned = (await ports.catalog.records(keys)).filter((record) => owns(caller, record))
  const counted = await ports.counters.readEach(
    owned.map(({ key }) => key),
    ...readRange(ports, days),
  )
  return summarizeUsage(
    usageOf(
      null,
      counted.flatMap((each, n) => withRecord(each, owned[n])),
    ),
    ports.now(),
    days,
  )
}

const withRecord = (counted: Counted, record: CatalogRecord | undefined): CountedLibrary[] =>
  record ? [{ record, counted }] : []

function readRange({ now }: Pick<TeamUsagePorts, 'now'>, days: number): [from: string, to: string] {
  const { period, before } = usageRanges(now(), days)
  return [before.from, period.to]
}

function usageOf(libraryId: string | null, libraries: CountedLibrary[]): CountedUsage {
  const all = libraries.map(({ counted }) => counted)
  const topics = ranked(all.map(({ topics }) => topics)).slice(0, maxTopics)
  return {
    libraryId,
    since: libraries.map(({ record }) => record.addedAt.slice(0, 10)).sort()[0],
    days: (range) => sumDays(all.flatMap(({ days }) => within(days, range))),
    libraries: (range) =>
      libraries
        .map(({ record: { library }, counted }) => ({
          libraryId: library.id,
          title: library.title,
          ...sumSurfaces(within(counted.days, range)),
        }))
        .filter((counts) => requests(counts) > 0)
        .sort((a, b) => requests(b) - requests(a) || (a.libraryId < b.libraryId ? -1 : 1)),
    total: sumSurfaces(all.map(({ total }) => total)),
    topics: { perDay: false, of: () => topics.map(([topic, count]) => ({ topic, count })) },
    countries: ranked(all.map(({ countries }) => countries)).map(([country, count]) => ({ country, count })),
  }
}

const within = (days: CountedDay[], { from, to }: UsageRange) => days.filter(({ date }) => date >= from && date <= to)

function sumSurfaces(counts: Record<Surface, number>[]): Record<Surface, number> {
  const sum = (surface: Surface) => counts.reduce((all, each) => all + each[surface], 0)
  return { page: sum('page'), txt: sum('txt'), mcp: sum('mcp'), cli: sum('cli') }
}

function sumDays(days: CountedDay[]): CountedDay[] {
  const byDate = new Map<string, CountedDay>()
  for (const { date, users, usersByClient, times, ...counts } of days) {
    const day = byDate.get(date) ?? { date, ...noCounts(), times: {}, users: 0, usersByClient: Object.create(null) }
    byDate.set(date, day)
    for (const counter of dayCounters) day[counter] += counts[counter]
    day.times = sumTimes([day.times, times])
    day.users += users
    for (const [client, count] of Object.entries(usersByClient))
      day.usersByClient[client] = (day.usersByClient[client] ?? 0) + count
  }
  return [...byDate.values()].sort((a, b) => (a.date < b.date ? -1 : 1))
}

/** The sums of several counts by name, most first, then by name. */
function ranked(counts: Record<string, number>[]): [string, number][] {
  const sums = new Map<string, number>()
  for (const each of counts) for (const [name, count] of Object.entries(each)) sums.set(name, (sums.get(name) ?? 0) + count)
  return [...sums].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
}
