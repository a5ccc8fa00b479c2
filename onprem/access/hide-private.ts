import { AppError } from '../../shared/errors.ts'
import { keyPrefixes } from '../../shared/keys/api-key.ts'
import { type LibraryId, libraryKey, printLibraryId, shownId } from '../../shared/library.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { amongVisible, type VisiblePorts } from './among-visible.ts'
import { type Caller, mayRead } from './caller.ts'
import { readerOf } from './reader.ts'

export type HidePrivatePorts = VisiblePorts & {
  catalog: Pick<InstallCatalog, 'find'>
  jobs: Pick<JobStore, 'unserved'>
}

/**
 * Does work that a setting opens to everyone. For callers that may not read, a missing library and a private one are the same:
 * invalid_api_key, without an address or a version.
 */
export async function hidePrivate<Ports extends HidePrivatePorts, Answer>(
  ports: Ports,
  caller: Caller,
  id: LibraryId,
  work: (ports: Ports) => Promise<Answer>,
): Promise<Answer> {
  if (mayRead(ports, caller)) return amongVisible(ports, caller, work)
  // The check precedes any request to the host, because the response time would tell the two apart.
  if (!isPublic(ports, caller, id)) throw hidden(id)
  return work(ports).catch((error: unknown) => Promise.reject(withoutDetails(error, id)))
}

/** A library without content is known to be public only if an anonymous caller has queued it. */
function isPublic(ports: HidePrivatePorts, caller: Caller, id: LibraryId): boolean {
  const library = ports.catalog.find(id)
  const isOpen = library ? !library.private : ports.jobs.unserved.find(libraryKey(id))?.isPublic === true
  return isOpen && readerOf(ports, caller)?.sees({ id: printLibraryId(id), private: false }) !== false
}

/** Errors that say nothing about a library. */
const sameForAll: AppError['code'][] = [
  'job_active',
  'not_configured',
  'internal_error',
  'data_damaged',
  'temporarily_unavailable',
  'disk_full',
]

function withoutDetails(error: unknown, id: LibraryId): unknown {
  if (!(error instanceof AppError) || sameForAll.includes(error.code)) return error
  const { code } = error
  if (code !== 'timeout' && code !== 'provider_unavailable') return hidden(id, error)
  return new AppError(code, `The git host of ${shownId(id)} cannot be reached now. Try again later.`, { cause: error })
}

const hidden = (id: LibraryId, cause?: AppError) =>
  new AppError(
    'invalid_api_key',
    `${shownId(id)} is not in this install or not open to everyone: send a key of this install, "Authorization: Bearer ${keyPrefixes.onprem}…".`,
    { cause },
  )
