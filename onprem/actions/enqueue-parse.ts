import { AppError } from '../../shared/errors.ts'
import type { JobRequest, ParseRequest } from '../../shared/indexing/index-job.ts'
import type { LibraryId } from '../../shared/library.ts'
import { parseRepoUrl, type RepoAddress } from '../../shared/reading/git/repo-address.ts'
import type { Caller } from '../access/caller.ts'
import { mayReplace } from '../access/may-replace.ts'
import { libraryIdOf } from '../store/catalog/library-id-of.ts'
import { refreshInstead, refreshUnchanged } from './enqueue-refresh.ts'
import { isAnonymous, notPublic, type ParsePorts, parseQueued, type Queued, queueParse, rejectPrivate } from './queue-parse.ts'
import { readRequest } from './read-parse-request.ts'

/**
 * Queues a parse. Callers who may not replace an existing library can only refresh it; other settings or `force` are forbidden. Anonymous callers can only add public repositories with default settings: they get forbidden for any other setting,
 * duplicate_repo for an existing library and invalid_api_key for a private repository, or one whose id belongs to a library that `isHidden`
 * from them. Throws validation_error, duplicate_repo, job_active, timeout.
 */
export async function enqueueParse(
  ports: ParsePorts,
  request: ParseRequest,
  caller: Caller,
  isHidden: (library: LibraryId, address: RepoAddress) => boolean = () => false,
): Promise<Queued> {
  const anonymous = isAnonymous(caller)
  if (anonymous) rejectSettings(request)
  const { address, library: named, request: wanted } = readRequest(ports, request)
  if (!anonymous && mayReplace(ports, caller, named))
    return queueParse(ports, caller, address, named, { ...wanted, anonymous }, parseQueued)
  if (!anonymous) return refreshUnchanged(ports, caller, address, named, wanted)
  if (wanted.branch !== undefined || wanted.tree !== undefined) throw settingNeedsKey('A branch')
  await rejectPrivate(ports, address)
  // The library may have been added during the request to the host, so nothing may be awaited between these lookups and the queue.
  const library = libraryIdOf(ports, address)
  if (isHidden(library, address)) throw notPublic(address)
  if (ports.catalog.find(library)) return refreshInstead(ports, caller, library, address)
  return queueParse(ports, caller, address, library, { ...wanted, anonymous, adds: true }, parseQueued)
}

/** Queues the request of an earlier parse again, for a caller with a key. Throws forbidden, validation_error, job_active, duplicate_repo. */
export async function enqueueAgain(
  ports: ParsePorts,
  caller: Caller,
  library: LibraryId,
  { adds: _, ...request }: JobRequest,
): Promise<Queued> {
  const address = request.source
    ? { webUrl: request.repoUrl, baseUrl: request.repoUrl }
    : parseRepoUrl(request.repoUrl, ports.gitHosts())
  if (!mayReplace(ports, caller, library)) return refreshUnchanged(ports, caller, address, library, request)
  return queueParse(ports, caller, address, library, { ...request, anonymous: false }, parseQueued)
}

function rejectSettings({ repoUrl: _, ...settings }: ParseRequest): void {
  for (const [field, value] of Object.entries(settings)) if (value !== undefined && value !== false) throw settingNeedsKey(field)
}

const settingNeedsKey = (name: string): AppError =>
  new AppError(
    'forbidden',
    `${name} requires an API key: without one, a repository is added with its default branch and settings.`,
  )
