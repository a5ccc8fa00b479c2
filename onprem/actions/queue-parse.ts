import type { Ai } from '../../shared/ai/ai.ts'
import { AppError } from '../../shared/errors.ts'
import type { JobRequest } from '../../shared/indexing/index-job.ts'
import type { Limits } from '../../shared/indexing/limits.ts'
import { type LibraryId, printLibraryId } from '../../shared/library.ts'
import type { HostRules } from '../../shared/network/allowed-hosts.ts'
import type { GitAccess } from '../../shared/reading/git/git-access.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { isPublic } from '../../shared/reading/git/is-public.ts'
import type { RepoAddress } from '../../shared/reading/git/repo-address.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { VisiblePorts } from '../access/among-visible.ts'
import { actorOf, type Caller, ownerOf, turnOf } from '../access/caller.ts'
import type { DeclaredPorts } from '../access/declared-in-git.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { JobWorker } from '../jobs/job-worker.ts'
import type { SourceAddress } from '../store/catalog/library-id-of.ts'
import type { LibraryOwners } from '../store/catalog/library-owners.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { rejectUnparsable } from './read-parse-request.ts'
import type { UndoableDeletions } from './undoable-deletions.ts'

export type Queued = { message: string; project: string; queueId: number; position: number | null }
export type ParsePorts = DeclaredPorts &
  VisiblePorts & {
    jobs: Pick<JobStore, 'enqueue' | 'activeOf' | 'order' | 'unserved'>
    owners: Pick<LibraryOwners, 'of' | 'set'>
    audit: Pick<AuditLog, 'record'>
    atomically: Atomically
    worker: Pick<JobWorker, 'wake'>
    catalog: Pick<InstallCatalog, 'find' | 'settings'>
    settings: Pick<SettingsStore, 'get'>
    gitHosts(): GitHosts
    gitAccess: Omit<GitAccess, 'token'>
    sourceHosts: HostRules
    limits: Pick<Limits, 'probeMs'>
    ai: Pick<Ai, 'llm'>
    deletions: Pick<UndoableDeletions, 'finish'>
  }

export const parseQueued = 'Parse queued'
export const refreshQueued = 'Refresh queued'

export const isAnonymous = ({ holder }: Caller): boolean => holder === undefined

/** The library keeps its id, even if its repository was renamed. */
export function queueParse(
  ports: ParsePorts,
  caller: Caller,
  address: SourceAddress,
  library: LibraryId,
  request: JobRequest,
  message: typeof parseQueued | typeof refreshQueued,
): Queued {
  rejectUnparsable(ports, address, library, request)
  ports.deletions.finish(library)
  const existing = ports.catalog.find(library)
  const { id, position } = ports.atomically(() => {
    const queued = ports.jobs.enqueue({ library, kind: 'parse', request, caller: turnOf(caller) })
    const adds = message === parseQueued && (!existing || existing.imported)
    if (adds && caller.holder) ports.owners.set(library, ownerOf(caller.holder))
    const action = message === refreshQueued ? 'library.refresh' : existing ? 'library.parse' : 'library.add'
    ports.audit.record({ actor: actorOf(caller), action, subject: printLibraryId(library) })
    return queued
  })
  ports.worker.wake()
  return { message, project: printLibraryId(library), queueId: id, position }
}

/**
 * Runs before other checks, so that the answers to a caller without a key reveal only libraries whose repositories are public.
 */
export async function rejectPrivate({ gitAccess, limits }: ParsePorts, address: RepoAddress): Promise<void> {
  if (!(await isPublic(address, gitAccess, limits.probeMs))) throw notPublic(address)
}

export const notPublic = ({ webUrl }: RepoAddress): AppError =>
  new AppError(
    'invalid_api_key',
    `${webUrl} does not exist or is not public; without a key of this install (carrel_op_…) only public repositories can be added.`,
  )
