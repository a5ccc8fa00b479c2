import { AppError } from '../../shared/errors.ts'
import { keyPrefixes } from '../../shared/keys/api-key.ts'
import type { LibraryId } from '../../shared/library.ts'
import type { Caller } from '../access/caller.ts'
import { type HidePrivatePorts, hidePrivate } from '../access/hide-private.ts'
import { enqueueRefresh, type ParsePorts, type Queued } from '../jobs/enqueue-parse.ts'

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
