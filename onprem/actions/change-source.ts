import { AppError } from '../../shared/errors.ts'
import { requireMatch } from '../../shared/http/etag.ts'
import type { SourceSettings } from '../../shared/indexing/indexing-catalog.ts'
import {
  changedSettings,
  rejectOtherRepository,
  type SourceAnswer,
  type SourceChange,
  toSourceAnswer,
} from '../../shared/indexing/source-change.ts'
import { type LibraryId, libraryKey, parseLibraryId, printLibraryId, shownId } from '../../shared/library.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import { type MayReplacePorts, requireReplace } from '../access/may-replace.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { findLibrary } from '../store/catalog/visible-libraries.ts'
import { stateWord } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

export type SourcePorts = {
  catalog: Pick<InstallCatalog, 'find' | 'settings' | 'versions'>
  jobs: Pick<JobStore, 'unserved'>
}

/** The repository of a library and the settings that a refresh uses. Throws library_not_found, validation_error for an imported library. */
export function sourceAnswer(ports: SourcePorts, id: LibraryId): SourceAnswer {
  const { library, repoUrl } = findSource(ports, id)
  return toAnswer(ports, library, repoUrl, ports.catalog.settings(library))
}

const toAnswer = ({ catalog }: SourcePorts, library: LibraryId, repoUrl: string, settings: SourceSettings): SourceAnswer =>
  toSourceAnswer(repoUrl, settings, new Map(catalog.versions(library).map((each) => [each.version, each])))

/** The id of the whole library, also if `id` names a version of it. */
function findSource(
  { catalog, jobs }: SourcePorts,
  id: LibraryId,
  { allowsImported = false } = {},
): { library: LibraryId; repoUrl: string } {
  const whole = { owner: id.owner, repo: id.repo }
  const unserved = jobs.unserved.find(libraryKey(whole))
  if (unserved && !catalog.find(whole)) {
    throw new AppError(
      'library_not_found',
      `${unserved.id} has no content yet, so it has no source settings. To use other settings, add its repository again with them.`,
    )
  }
  const { id: libraryId, imported, sourceUrl } = findLibrary(catalog, whole)
  if (imported && !allowsImported) {
    throw new AppError(
      'validation_error',
      `${shownId(whole)} was imported and has no source settings. Change them where it was exported, then import it again with force. Only flagged can be changed here.`,
    )
  }
  return { library: parseLibraryId(libraryId), repoUrl: sourceUrl }
}

type ChangeSourcePorts = SourcePorts & {
  catalog: Pick<InstallCatalog, 'storeSettings' | 'setPrivate'>
  jobs: Pick<JobStore, 'activeOf'>
  gitHosts(): GitHosts
}

/**
 * Changes the settings of the next refresh. An absent field keeps its value, null restores the default.
 * Throws library_not_found, validation_error, precondition_failed, job_active: a job stores its own settings when it ends.
 */
function changeSource(ports: ChangeSourcePorts, id: LibraryId, change: SourceChange, ifMatch: string | undefined): SourceAnswer {
  const { library, repoUrl } = findSource(ports, id, { allowsImported: isOnlyFlagged(change) })
  const libraryId = printLibraryId(library)
  rejectOtherRepository(change, { id: libraryId, repoUrl }, ports.gitHosts())
  const active = ports.jobs.activeOf(libraryKey(library))
  if (active) {
    const message = `${libraryId} has a job that is ${stateWord(active.state)}, which uses the old settings. Wait for its end or cancel job ${active.id} first.`
    throw new AppError('job_active', message, { fields: { project: libraryId, status: active.state } })
  }
  const before = ports.catalog.settings(library)
  requireMatch(ifMatch, { '': toAnswer(ports, library, repoUrl, before) })
  const after = changedSettings(before, change, new Set(storedNames(ports, library)))
  ports.catalog.storeSettings(library, after)
  if (change.private !== undefined) ports.catalog.setPrivate(library, change.private)
  return toAnswer(ports, library, repoUrl, after)
}

/** The rule for flagged snippets applies to content from anywhere. */
const isOnlyFlagged = (change: SourceChange): boolean => Object.keys(change).every((name) => name === 'flagged')

const storedNames = ({ catalog }: SourcePorts, library: LibraryId): string[] =>
  catalog
    .versions(library)
    .map(({ version }) => version)
    .filter((name) => name !== '')

export type ChangeForCallerPorts = ChangeSourcePorts &
  MayReplacePorts & { audit: Pick<AuditLog, 'record'>; atomically: Atomically }

/** Throws forbidden for callers who may not replace the library, and what `changeSource` throws. */
export function changeSourceForCaller(
  ports: ChangeForCallerPorts,
  caller: Caller,
  id: LibraryId,
  change: SourceChange,
  ifMatch?: string,
): SourceAnswer {
  const { library } = findSource(ports, id, { allowsImported: isOnlyFlagged(change) })
  requireReplace(ports, caller, library, 'change its source settings')
  if (change.private !== undefined && caller.holder?.role !== 'admin')
    throw new AppError('forbidden', 'Only an admin can change whether a library is private.')
  return ports.atomically(() => {
    const source = changeSource(ports, library, change, ifMatch)
    const record = (action: string) => ports.audit.record({ actor: actorOf(caller), action, subject: printLibraryId(library) })
    record('library.source')
    if (change.private !== undefined) record(change.private ? 'library.private' : 'library.public')
    return source
  })
}
