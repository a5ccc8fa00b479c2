import { AppError } from '../../shared/errors.ts'
import { failedCheck } from '../../shared/freshness/failed-check.ts'
import type { HostPauses } from '../../shared/freshness/host-pauses.ts'
import { hasSameCommits } from '../../shared/indexing/has-same-commits.ts'
import { type OpenRepositoryPorts, openRepository } from '../../shared/indexing/open-repository.ts'
import { type LibraryId, libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { RemoteRefs } from '../../shared/reading/git/remote-refs.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { InstallLibrary } from '../store/catalog/install-library.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import type { CheckOutcome, LibraryChecks } from '../store/library-checks.ts'
import { dueAfter } from './check-due.ts'
import { queueRefresh } from './queue-refresh.ts'

export type CheckLibraryPorts = OpenRepositoryPorts & {
  catalog: Pick<InstallCatalog, 'find' | 'settings' | 'versions'>
  checks: Pick<LibraryChecks, 'of' | 'postpone' | 'record'>
  jobs: Pick<JobStore, 'activeOf' | 'enqueueAll'>
  settings: Pick<SettingsStore, 'get'>
  hosts: HostPauses
  /** Runs synchronous work as one transaction. */
  atomically<Result>(work: () => Result): Result
  now(): Date
}

type Checked = { outcome: CheckOutcome; error?: string; dueAt?: Date }

const busyMs = 60_000

/**
 * Compares a library with its repository by one request, and queues a refresh if a version has another commit, or if the rule for tags asks for
 * other versions. Undefined if there was nothing to check. Throws if `signal` aborts.
 */
export async function checkLibrary(
  ports: CheckLibraryPorts,
  key: string,
  signal: AbortSignal,
): Promise<CheckOutcome | undefined> {
  const { catalog, checks, jobs, now } = ports
  const began = now()
  const library = catalog.find(parseLibraryId(key))
  if (!library || jobs.activeOf(key)) {
    checks.postpone(key, new Date(began.getTime() + busyMs))
    return undefined
  }
  const checked = await check(ports, library, signal)
  signal.throwIfAborted()
  const id = parseLibraryId(library.id)
  return ports.atomically(() => {
    // It may have been deleted during the request.
    const current = catalog.find(id)
    if (!current) return undefined
    if (checked.outcome === 'queued') queueRefresh(ports, current)
    const at = now()
    const { schedule, dueAt } = dueAfter(ports, id, at)
    const responded = checked.outcome === 'unchanged' || checked.outcome === 'queued'
    checks.record(key, { at, responded, schedule, dueAt, ...checked })
    return checked.outcome
  })
}

async function check(ports: CheckLibraryPorts, library: InstallLibrary, signal: AbortSignal): Promise<Checked> {
  // Only a job can tell whether a source that is no repository has changed.
  if (ports.catalog.settings(parseLibraryId(library.id)).source) return { outcome: 'queued' }
  const host = hostOf(ports, library)
  if (host === undefined)
    return { outcome: 'absent', error: `The settings name no git host of ${library.sourceUrl}, so it is not compared with it.` }
  const paused = ports.hosts.until(host)
  if (paused) return { outcome: 'paused', error: `The host ${host} does not respond.`, dueAt: paused }
  try {
    const request = { repoUrl: library.sourceUrl, anonymous: !library.private }
    const source = await openRepository(ports, request, { log() {}, stage() {} }, signal)
    ports.hosts.responded(host)
    const hasMoved = source.url !== library.sourceUrl
    return { outcome: hasMoved || isOutdated(ports, parseLibraryId(library.id), source) ? 'queued' : 'unchanged' }
  } catch (error) {
    if (!(error instanceof AppError) || signal.aborted) throw error
    const { failures = 0 } = ports.checks.of(libraryKey(parseLibraryId(library.id))) ?? {}
    return failedCheck(ports, { host, failures, isPublic: !library.private }, error)
  }
}

/** Undefined if the settings do not name the host of a library. */
function hostOf({ gitHosts }: Pick<CheckLibraryPorts, 'gitHosts'>, { sourceUrl }: InstallLibrary): string | undefined {
  try {
    return new URL(parseRepoUrl(sourceUrl, gitHosts()).baseUrl).host
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

function isOutdated({ catalog }: CheckLibraryPorts, id: LibraryId, remote: RemoteRefs): boolean {
  const settings = catalog.settings(id)
  if (settings.outdated && settings.outdated.length > 0) return true
  const versions = new Map(catalog.versions(id).map((each) => [each.version, each]))
  return !hasSameCommits(remote, settings, { settings, versions })
}
