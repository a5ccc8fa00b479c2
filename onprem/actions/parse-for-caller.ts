import { AppError } from '../../shared/errors.ts'
import type { ParseRequest } from '../../shared/indexing/index-job.ts'
import { libraryKey } from '../../shared/library.ts'
import type { RepoAddress } from '../../shared/reading/git/repo-address.ts'
import { type VisiblePorts, visibleTo } from '../access/among-visible.ts'
import { type Caller, mayRead } from '../access/caller.ts'
import { enqueueParse, type ParsePorts, type Queued } from '../jobs/enqueue-parse.ts'

type ParseForCallerPorts = ParsePorts & VisiblePorts

/** Queues a parse. Callers that may not read learn nothing about existing libraries, others nothing about hidden ones. Throws what `enqueueParse` throws. */
export const parseForCaller = (ports: ParseForCallerPorts, caller: Caller, request: ParseRequest): Promise<Queued> =>
  enqueueParse(ports, request, caller, (address) => isHidden(ports, caller, address)).catch((error: unknown) =>
    Promise.reject(mayRead(ports, caller) ? error : withoutAddress(error)),
  )

/**
 * True if the id of a public repository belongs to a library that the caller may not see. A first parse of the same repository is
 * no secret.
 */
function isHidden(ports: ParseForCallerPorts, caller: Caller, { id, webUrl }: RepoAddress): boolean {
  const seen = visibleTo(ports, caller)
  if (ports.catalog.find(id)) return !seen.catalog.find(id)
  const active = ports.jobs.activeOf(libraryKey(id))
  if (!active || seen.jobs.activeOf(libraryKey(id))) return false
  const order = ports.jobs.order(active.id)
  return order?.kind !== 'parse' || order.request.repoUrl !== webUrl
}

/** The address of the existing library is only for callers that may read. */
function withoutAddress(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'duplicate_repo') return error
  const message = 'A library with this id exists already. Send a key of this install to see which.'
  return new AppError('duplicate_repo', message, { cause: error })
}
