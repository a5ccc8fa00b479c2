import { AppError } from '../../shared/errors.ts'
import type { SourceSettings } from '../../shared/indexing/indexing-catalog.ts'
import { callerSettings } from '../../shared/indexing/source-settings.ts'
import { withBranch } from '../../shared/indexing/split-tree.ts'
import { type LibraryId, libraryKey, parseLibraryId, shownId } from '../../shared/library.ts'
import { parseRepoUrl, type RepoAddress } from '../../shared/reading/git/repo-address.ts'
import type { Caller } from '../access/caller.ts'
import { requireReplace, whyNot } from '../access/may-replace.ts'
import type { SourceAddress } from '../store/catalog/library-id-of.ts'
import { findLibrary } from '../store/catalog/visible-libraries.ts'
import { isAnonymous, type ParsePorts, type Queued, queueParse, refreshQueued, rejectPrivate } from './queue-parse.ts'
import { type NamedRequest, rejectOtherHost } from './read-parse-request.ts'

/**
 * Queues a parse of a library and all its versions with its stored settings; after a failed first parse, with those of that request.
 * `branch` replaces the stored branch. Throws library_not_found, tag_not_found, forbidden, validation_error, job_active, timeout.
 */
export async function enqueueRefresh(ports: ParsePorts, id: LibraryId, caller: Caller, branch?: string): Promise<Queued> {
  const anonymous = isAnonymous(caller)
  const probed = refreshable(ports, id)
  ports.deletions.finish(id)
  if (probed.settings.source) return refreshOther(ports, caller, probed)
  const address = parseRepoUrl(probed.repoUrl, ports.gitHosts())
  if (anonymous) await rejectPrivate(ports, address)
  // The library may have been parsed with other settings, or deleted, during the request to its host.
  const { library, repoUrl, settings } = refreshable(ports, id)
  if (repoUrl !== probed.repoUrl) return enqueueRefresh(ports, id, caller, branch)
  if (branch !== undefined && branch !== settings.branch) requireReplace(ports, caller, library, 'choose another branch')
  const stored = callerSettings(settings)
  const wanted = branch === undefined ? stored : withBranch(stored, branch)
  const { tagRule, schedule } = settings
  const request = { ...wanted, tagRule, schedule, repoUrl: address.webUrl, force: false, anonymous }
  return queueParse(ports, caller, address, library, request, refreshQueued)
}

/** A source that is no repository has no branch. */
function refreshOther(ports: ParsePorts, caller: Caller, { library, repoUrl, settings }: Refreshable): Queued {
  if (settings.source?.kind === 'openapi-upload')
    throw new AppError('validation_error', `${shownId(library)} was uploaded. Upload its file again to update it.`)
  const request = { ...callerSettings(settings), repoUrl, force: false, anonymous: isAnonymous(caller) }
  return queueParse(ports, caller, { webUrl: repoUrl, baseUrl: repoUrl }, library, request, refreshQueued)
}

/** A caller who has not added a library can have it read again only as it was read before. Omitted values stay as stored. */
export function refreshUnchanged(
  ports: ParsePorts,
  caller: Caller,
  address: SourceAddress,
  library: LibraryId,
  request: NamedRequest,
): Promise<Queued> {
  rejectOtherHost(ports, library, address)
  rejectChange(ports, library, request)
  return enqueueRefresh(ports, library, caller)
}

function rejectChange(ports: ParsePorts, id: LibraryId, request: NamedRequest): void {
  const { branch, folders = [], ...others } = callerSettings(refreshable(ports, id).settings)
  const tree = folders.length > 1 ? undefined : [branch, ...folders].join('/')
  const stored = { ...others, branch, folders, tree }
  const isOther = Object.entries(callerSettings(request)).some(
    ([name, value]) =>
      value !== undefined && value !== false && JSON.stringify(value) !== JSON.stringify(stored[name as keyof typeof stored]),
  )
  const isFollowed = request.tagRule !== undefined || request.schedule !== undefined
  if (request.force || isOther || isFollowed || request.optionalVersions)
    throw new AppError('forbidden', whyNot(ports, id, 'add it again with force or with other settings'))
}

/** Turns the parse of an existing library into a refresh, if anonymous callers may refresh. */
export async function refreshInstead(
  ports: ParsePorts,
  caller: Caller,
  library: LibraryId,
  address: RepoAddress,
): Promise<Queued> {
  rejectOtherHost(ports, library, address)
  const existing = findLibrary(ports.catalog, library)
  if (ports.settings.get('permissions.anonymousRefresh') && !existing.imported) return enqueueRefresh(ports, library, caller)
  throw new AppError('duplicate_repo', `${existing.id} exists already. Send an API key of this install to refresh it.`)
}

type Refreshable = { library: LibraryId; repoUrl: string; settings: SourceSettings }

function refreshable({ catalog, jobs }: ParsePorts, id: LibraryId): Refreshable {
  const first = catalog.find(id) ? undefined : jobs.unserved.find(libraryKey(id))
  const order = first && jobs.order(first.job.id)
  if (first && order?.kind === 'parse')
    return { library: parseLibraryId(first.id), repoUrl: order.request.repoUrl, settings: order.request }
  if (first) throw wasImported(first.id)
  const { id: libraryId, imported, sourceUrl } = findLibrary(catalog, id)
  if (imported) throw wasImported(libraryId)
  return { library: parseLibraryId(libraryId), repoUrl: sourceUrl, settings: catalog.settings(id) }
}

const wasImported = (libraryId: string): AppError =>
  new AppError(
    'validation_error',
    `${libraryId} was imported and has no repository to refresh it from. Export it again at its source, then import it with force.`,
  )
