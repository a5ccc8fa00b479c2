import { AppError } from '../../shared/errors.ts'
import type { ParseRequest } from '../../shared/indexing/index-job.ts'
import { keyPrefixes } from '../../shared/keys/api-key.ts'
import { type LibraryId, libraryKey, printLibraryId } from '../../shared/library.ts'
import { findRepository } from '../../shared/packages/find-repository.ts'
import { longId } from '../../shared/reading/git/known-id.ts'
import { parseRepoUrl, type RepoAddress } from '../../shared/reading/git/repo-address.ts'
import type { GitSource } from '../../shared/schemas/git-host.ts'
import { requireVisible, visibleTo } from '../access/among-visible.ts'
import { type Caller, mayRead } from '../access/caller.ts'
import { type HidePrivatePorts, hidePrivate } from '../access/hide-private.ts'
import { readerOf } from '../access/reader.ts'
import { libraryIdOf } from '../store/catalog/library-id-of.ts'
import { enqueueParse } from './enqueue-parse.ts'
import { enqueueRefresh } from './enqueue-refresh.ts'
import type { ParsePorts, Queued } from './queue-parse.ts'
import { inField } from './read-parse-request.ts'

/** Queues a parse. Callers that may not read learn nothing about existing libraries, others nothing about hidden ones. Throws what `enqueueParse` throws. */
export async function parseForCaller(ports: ParsePorts, caller: Caller, request: ParseRequest): Promise<Queued> {
  requireAddable(ports, caller, request.repoUrl)
  return enqueueParse(ports, request, caller, (library, address) => isHidden(ports, caller, library, address)).catch(
    (error: unknown) => Promise.reject(mayRead(ports, caller) ? error : withoutAddress(error)),
  )
}

/**
 * Throws forbidden for a repository whose library would not exist for the holder of a key or session, whether it is here or not, and
 * validation_error for one that cannot be read. Both of its ids are checked, whichever it has or would have.
 */
export function requireAddable(ports: ParsePorts, caller: Caller, repoUrl: string, field = 'repoUrl'): void {
  if (!caller.holder) return
  const { address } = inField(field, () => findRepository(repoUrl, ports.gitHosts()))
  for (const id of [address.id, longId(address)]) requireVisible(ports, caller, id)
}

/**
 * True if the id of a public repository belongs to a library that the caller may not see; a longer id would tell that such a library has the
 * shorter one. A first parse of the same repository is no secret.
 */
function isHidden(ports: ParsePorts, caller: Caller, library: LibraryId, address: RepoAddress): boolean {
  const seen = visibleTo(ports, caller)
  const reader = readerOf(ports, caller)
  if (reader && !reader.sees({ id: printLibraryId(address.id), private: false })) return true
  const isSecret = (id: LibraryId): boolean => {
    if (ports.catalog.find(id)) return !seen.catalog.find(id)
    const active = ports.jobs.activeOf(libraryKey(id))
    if (!active || seen.jobs.activeOf(libraryKey(id))) return false
    const order = ports.jobs.order(active.id)
    return order?.kind !== 'parse' || order.request.repoUrl !== address.webUrl
  }
  return isSecret(library) || (!ports.catalog.find(library) && isSecret(address.id))
}

/** The address of the existing library is only for callers that may read. */
function withoutAddress(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'duplicate_repo') return error
  const message = 'A library with this id exists already. Send a key of this install to see which.'
  return new AppError('duplicate_repo', message, { cause: error })
}

/** Queues a refresh. Throws forbidden if an anonymous caller names a branch, and what `hidePrivate` and `enqueueRefresh` throw. */
export async function refreshForCaller(
  ports: ParsePorts & HidePrivatePorts,
  caller: Caller,
  id: LibraryId,
  branch?: string,
): Promise<Queued> {
  if (branch !== undefined && caller.holder === undefined) throw branchNeedsKey()
  return hidePrivate(ports, caller, id, (seen) => enqueueRefresh(seen, id, caller, branch))
}

const branchNeedsKey = (): AppError =>
  new AppError(
    'forbidden',
    `The branch of a library requires a key of this install, "Authorization: Bearer ${keyPrefixes.onprem}…"; omit the branch to refresh the library.`,
  )

/** Queues the first parse of a repository of one kind of host. Throws duplicate_repo for a library with content, and what `parseForCaller` throws. */
export async function addForCaller(ports: ParsePorts, caller: Caller, repoUrl: string, source: GitSource): Promise<Queued> {
  requireAddable(ports, caller, repoUrl, 'docsRepoUrl')
  const id = inField('docsRepoUrl', () => libraryIdOf(ports, parseRepoUrl(repoUrl, ports.gitHosts(), source)))
  const library = caller.holder && ports.catalog.find(id)
  if (library && !library.imported) throw new AppError('duplicate_repo', `${library.id} exists already; refresh it instead.`)
  return parseForCaller(ports, caller, { repoUrl, force: false })
}
