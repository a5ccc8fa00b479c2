import { AppError } from '../../shared/errors.ts'
import type { ParseRequest } from '../../shared/indexing/index-job.ts'
import { type LibraryId, libraryKey, printLibraryId } from '../../shared/library.ts'
import { allowedUrl, type HostRules } from '../../shared/network/allowed-hosts.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { longId } from '../../shared/reading/git/known-id.ts'
import { checkConfluence } from '../../shared/sources/confluence/check-confluence.ts'
import { type OtherSource, sourceAddress, sourceLibrary } from '../../shared/sources/other-source.ts'
import { type DeclaredPorts, declaredAt, declaredElsewhere } from '../access/declared-in-git.ts'
import { type CheckPorts, readRequest, rejectOtherHost } from '../actions/read-parse-request.ts'
import type { SourceAddress } from '../store/catalog/library-id-of.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { DeclaredBy, DeclaredLibrary, DeclaredStore } from '../store/declared/declared-store.ts'
import { stateWord } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { differences, type WantedRequest, wantsVersion } from './differences.ts'
import { requestOf } from './manifest.ts'
import type { ReadManifest } from './read-manifest.ts'
import type { YamlProblem } from './yaml-worker.ts'

/** `kept`: the file no longer names it, and it is only removed with `prune`. `skipped`: it cannot be changed now. */
export type LibraryChange = 'added' | 'changed' | 'unchanged' | 'removed' | 'kept' | 'skipped'

export type LibraryState = {
  change: LibraryChange
  /** The differences, or the reason why it is skipped. */
  details: string[]
}

export type WantedLibrary = { id: LibraryId; address: SourceAddress; request: WantedRequest; line: number }

export type PlannedLibrary = LibraryState & { id: LibraryId; wanted?: WantedLibrary; removedVersions: string[] }

type HostPorts = { gitHosts(): GitHosts; sourceHosts: HostRules }

export type PlanLibrariesPorts = DeclaredPorts &
  CheckPorts & {
    catalog: Pick<InstallCatalog, 'find' | 'settings' | 'versions'>
    jobs: Pick<JobStore, 'activeOf' | 'order' | 'unserved'>
    declared: Pick<DeclaredStore, 'library' | 'libraries'>
  } & HostPorts

/** Compares the libraries of a file with those of the install. Adds what is wrong to `problems`. */
export function planLibraries(
  ports: PlanLibrariesPorts,
  read: ReadManifest,
  { by, prune }: { by: DeclaredBy; prune: boolean },
  problems: YamlProblem[],
): PlannedLibrary[] {
  const wanted = readEntries(ports, read, by, problems)
  if (problems.length > 0) return []
  const named = wanted.map((each) => {
    const removedVersions = prune ? omittedVersions(ports, each) : []
    const state = libraryState(ports, each)
    const details = [...state.details, ...removedVersions.map((version) => `version ${version} removed`)]
    const change = state.change === 'unchanged' && removedVersions.length > 0 ? 'changed' : state.change
    return { ...state, id: each.id, wanted: each, change, details, removedVersions }
  })
  const keys = new Set(wanted.map(({ id }) => libraryKey(id)))
  const others = ports.declared.libraries().filter((each) => each.by === by && !keys.has(libraryKey(each.id)))
  return [...named, ...others.flatMap((each) => unnamedState(ports, each, prune))]
}

/** How a declared library differs from that of the install. */
export function libraryState(ports: PlanLibrariesPorts, { id, address, request }: WantedLibrary): LibraryState {
  const { catalog, jobs } = ports
  const library = catalog.find(id)
  if (library?.imported) return skipped('it was imported; delete it first to add it from its repository')
  try {
    rejectOtherHost(ports, id, address)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return skipped(error.message)
  }
  const active = jobs.activeOf(libraryKey(id))
  const order = active && jobs.order(active.id)
  if (active && (order?.kind !== 'parse' || differences(request, order.request).length > 0))
    return skipped(`job ${active.id}, which is ${stateWord(active.state)}, uses other settings`)
  if (active) return { change: 'unchanged', details: [] }
  if (library) {
    const details = differences(request, catalog.settings(id))
    return { change: details.length > 0 ? 'changed' : 'unchanged', details }
  }
  const failed = jobs.unserved.find(libraryKey(id)) !== undefined
  return failed ? { change: 'changed', details: ['it could not be added before'] } : { change: 'added', details: [] }
}

function readEntries(ports: PlanLibrariesPorts, read: ReadManifest, by: DeclaredBy, problems: YamlProblem[]): WantedLibrary[] {
  const { defaults, entries, lineOf, problemAt } = read
  const earlier = new Map<string, WantedLibrary>()
  return entries.flatMap(({ entry, path }) => {
    try {
      const wanted = { ...readWanted(ports, requestOf(entry, defaults), earlier), line: lineOf(path) }
      const first = earlier.get(libraryKey(wanted.id))
      earlier.set(libraryKey(wanted.id), wanted)
      if (first !== undefined) throw new AppError('validation_error', `is ${printLibraryId(wanted.id)}, as line ${first.line} is`)
      const page = by === 'file' ? declaredAt(ports, wanted.id) : undefined
      if (page !== undefined) throw new AppError('validation_error', declaredElsewhere(printLibraryId(wanted.id), page))
      return [wanted]
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      problems.push(problemAt(path, error.message))
      return []
    }
  })
}

/**
 * The library and the request of an entry. A known library is read from the folders of its documentation, unless the entry names others.
 * Throws validation_error.
 */
function readWanted(
  ports: HostPorts & CheckPorts,
  asked: ParseRequest | OtherSource,
  earlier: ReadonlyMap<string, WantedLibrary> = new Map(),
): Omit<WantedLibrary, 'line'> {
  if ('kind' in asked) {
    const { href } = allowedUrl(asked.url, ports.sourceHosts)
    const source = asked.kind === 'confluence' ? checkConfluence({ ...asked, url: href }) : { ...asked, url: href }
    const url = sourceAddress(source)
    return {
      id: sourceLibrary(source),
      address: { webUrl: url, baseUrl: url },
      request: { repoUrl: url, source, force: false },
    }
  }
  const { address, library, request } = readRequest(ports, asked, true)
  const first = earlier.get(libraryKey(library))
  const isOther = first !== undefined && first.address.baseUrl !== address.baseUrl
  return { id: isOther ? longId(address) : library, address, request }
}

/** The library of a stored entry. Throws validation_error if its host is no longer allowed. */
export const readDeclared = (ports: HostPorts & CheckPorts, { id, entry, line }: DeclaredLibrary): WantedLibrary => {
  const { source, tree, earlierVersions: _, ...request } = JSON.parse(entry) as WantedRequest & { earlierVersions?: string[] }
  const read = readWanted(ports, source ?? request)
  return { ...read, id, request: { ...read.request, ...(tree !== undefined && { tree }) }, line }
}

/** Versions with content that an earlier file named for the library, and this one does not. */
function omittedVersions({ declared, catalog }: PlanLibrariesPorts, { id, request }: WantedLibrary): string[] {
  const earlier = declared.library(id)
  if (!earlier) return []
  const before = declaredVersions(earlier)
  return catalog
    .versions(id)
    .map(({ version }) => version)
    .filter((version) => version !== '' && wantsVersion(before, version) && !wantsVersion(request.versions ?? [], version))
}

/** The versions that a file names now or named before, if they were not deleted since. */
export function declaredVersions({ entry }: DeclaredLibrary): string[] {
  const { versions = [], earlierVersions = [] } = JSON.parse(entry) as WantedRequest & { earlierVersions?: string[] }
  return [...versions, ...earlierVersions]
}

function unnamedState({ catalog, jobs }: PlanLibrariesPorts, { id }: DeclaredLibrary, prune: boolean): PlannedLibrary[] {
  const active = jobs.activeOf(libraryKey(id))
  const state: LibraryState = !prune
    ? { change: 'kept', details: [] }
    : active
      ? skipped(`job ${active.id} is ${stateWord(active.state)}; it is removed when that has ended`)
      : { change: 'removed', details: [] }
  const exists = catalog.find(id) ?? active ?? jobs.unserved.find(libraryKey(id))
  return exists ? [{ ...state, id, removedVersions: [] }] : []
}

const skipped = (reason: string): LibraryState => ({ change: 'skipped', details: [reason] })
