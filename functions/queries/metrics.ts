import { AppError } from '../../shared/errors.ts'
import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import { type LibraryMetrics, readMetrics } from '../../shared/usage/read-metrics.ts'
import type { Caller } from '../access/caller.ts'
import { mayKnow, owns } from '../access/visibility.ts'
import { servedVersion } from '../catalog/catalog-record.ts'
import type { Hosted } from '../hosted.ts'
import { unknownLibrary } from './ask.ts'

/**
 * The counters of a library for the teamspace that owns it. Throws invalid_library_id, library_not_found (unknown, or private to others),
 * access_denied, tag_not_found, in this order.
 */
export async function askMetrics(
  hosted: Pick<Hosted, 'catalog' | 'counters' | 'now'>,
  caller: Caller,
  { libraryId, days }: { libraryId: string; days: number },
): Promise<LibraryMetrics> {
  const id = parseLibraryId(libraryId)
  const record = await hosted.catalog.record(id)
  if (!record || !mayKnow(caller, record.library)) throw unknownLibrary(id)
  const { library } = record
  if (!owns(caller, record)) {
    throw new AppError(
      'access_denied',
      `${library.id} is not owned by the teamspace of this key; its owner alone sees how it is used.`,
    )
  }
  const key = libraryKey(id)
  const countedId = id.version === undefined ? key : `${key}@${servedVersion(record, id).version}`
  return readMetrics(hosted, countedId, days)
}
