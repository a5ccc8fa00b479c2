import { z } from 'zod'
import { Tag } from '../../shared/schemas/tag.ts'
import { wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import { isStale, staleTime } from '../../shared/time/is-stale.ts'
import type { InstallLibrary } from '../store/catalog/install-library.ts'
import { type VisibleLibrariesPorts, visibleLibraries } from '../store/catalog/visible-libraries.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { type LibraryChecks, lastCheckedAt } from '../store/library-checks.ts'
import { type InstallLibraryAnswer, type InstallLibraryAnswerPorts, installLibraryAnswer } from './install-library-answer.ts'

const sorts = ['id', 'title', 'updated', 'snippets', 'tokens'] as const
const orders = ['asc', 'desc'] as const
const origins = ['parsed', 'imported', 'private', 'generated'] as const
const states = ['finalized', 'processing', 'error'] as const
type Sort = (typeof sorts)[number]
type Order = (typeof orders)[number]

export const ListQuery = z.object({
  q: z.string().max(500).optional().describe('Only libraries with this text in the id, title or description'),
  origin: z
    .enum(origins)
    .optional()
    .describe('Only libraries that were added from a repository (parsed) or imported, or are private or generated'),
  state: z
    .enum(states)
    .optional()
    .describe('Only libraries with content (finalized), with an unfinished job (processing), or whose first job failed (error)'),
  tag: Tag.optional().describe('Only libraries with this tag'),
  staleDays: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .optional()
    .describe(
      'Only libraries with content that were not compared with their source for so many days, even if nothing would have changed',
    ),
  stale: z
    .enum(['true'])
    .optional()
    .describe('Only libraries that were not compared with their source for the days of the setting refresh.staleDays'),
  sort: z.enum(sorts).default('id'),
  order: z.enum(orders).default('asc'),
  page: wholeNumberOr(1, 1, 1_000_000),
  pageSize: wholeNumberOr(50, 1, 200),
})
type ListQuery = z.infer<typeof ListQuery>
type LibraryFilter = Pick<ListQuery, 'origin' | 'state' | 'tag' | 'staleDays' | 'stale'>

export type ListPorts = VisibleLibrariesPorts &
  InstallLibraryAnswerPorts & { jobs: Pick<JobStore, 'active'>; checks: Pick<LibraryChecks, 'all'> }
type LibraryPage = { projects: InstallLibraryAnswer[]; total: number; page: number; pageSize: number; tags: string[] }

/** One page of the libraries of this install. A page beyond the end is empty. */
export function listLibraries(ports: ListPorts, { q, sort, order, page, pageSize, ...filter }: ListQuery): LibraryPage {
  const visible = visibleLibraries(ports)
  const sorted = sortLibraries(visible, sort, order)
  const named = q === undefined ? sorted : filterLibraries(sorted, q)
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const matching = isFiltered ? named.filter(matchesFilter(ports, filter)) : named
  const projects = matching.slice((page - 1) * pageSize, page * pageSize).map((each) => installLibraryAnswer(ports, each))
  return { projects, total: matching.length, page, pageSize, tags: tagsOf(visible) }
}

/** Returns a test for libraries. A library with content that is parsed or imported again is both finalized and processing. */
function matchesFilter(
  { jobs, checks, settings, now }: Pick<ListPorts, 'jobs' | 'checks' | 'settings' | 'now'>,
  { origin, state, tag, staleDays, stale }: LibraryFilter,
): (library: InstallLibrary) => boolean {
  const busy = new Set(
    state === 'processing' ? jobs.active().flatMap(({ project, kind }) => (kind === 'reindex' ? [] : keyOfLibrary(project))) : [],
  )
  const days = staleDays ?? (stale && settings.get('refresh.staleDays'))
  const old = days === undefined ? undefined : { checks: checks.all(), time: staleTime(now(), days) }
  return (library) =>
    (origin === undefined || (origin === 'parsed' ? !library.imported : library[origin])) &&
    (state === undefined || library.state === state || busy.has(library.id.toLowerCase())) &&
    (tag === undefined || library.tags.includes(tag)) &&
    (old === undefined ||
      isStale(
        { state: library.state, lastCheckedAt: lastCheckedAt(library, old.checks.get(library.id.toLowerCase())) },
        old.time,
      ))
}

const tags = new WeakMap<readonly InstallLibrary[], string[]>()

/** The tags in use, in the order of the alphabet. */
function tagsOf(libraries: readonly InstallLibrary[]): string[] {
  const used = tags.get(libraries) ?? [...new Set(libraries.flatMap((each) => each.tags))].sort()
  tags.set(libraries, used)
  return used
}

/** The key of the library, without the version that a job may name. */
const keyOfLibrary = (libraryId: string): string => libraryId.toLowerCase().split('/').slice(0, 3).join('/').replace(/@.*/, '')

const sorted = new WeakMap<readonly InstallLibrary[], Map<string, InstallLibrary[]>>()

/** Caches the result per list: sorting 10,000 libraries takes longer than the rest of a request. */
function sortLibraries(libraries: readonly InstallLibrary[], sort: Sort, order: Order): InstallLibrary[] {
  const sortedByName = sorted.get(libraries) ?? new Map<string, InstallLibrary[]>()
  sorted.set(libraries, sortedByName)
  const name = `${sort} ${order}`
  const result = sortedByName.get(name) ?? sortedBy(by[sort], order, libraries)
  sortedByName.set(name, result)
  return result
}

type Key = string | number

/** Computes each key once, not per comparison. */
function sortedBy(keyOf: (library: InstallLibrary) => Key, order: Order, libraries: readonly InstallLibrary[]): InstallLibrary[] {
  const sign = order === 'asc' ? 1 : -1
  return libraries
    .map((library) => ({ library, key: keyOf(library) }))
    .sort((a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ library }) => library)
}

const by: Record<Sort, (library: InstallLibrary) => Key> = {
  id: ({ id }) => id.toLowerCase(),
  title: ({ title }) => title.toLowerCase(),
  updated: ({ lastUpdateDate }) => lastUpdateDate,
  snippets: ({ totalSnippets }) => totalSnippets,
  tokens: ({ totalTokens }) => totalTokens,
}

const texts = new WeakMap<InstallLibrary, string>()

/** Libraries with the text in their id, title or description. */
function filterLibraries(libraries: readonly InstallLibrary[], text: string): InstallLibrary[] {
  const wanted = text.toLowerCase()
  return libraries.filter((each) => textOf(each).includes(wanted))
}

function textOf(library: InstallLibrary): string {
  const text = texts.get(library) ?? `${library.id}\n${library.title}\n${library.description}`.toLowerCase()
  texts.set(library, text)
  return text
}
