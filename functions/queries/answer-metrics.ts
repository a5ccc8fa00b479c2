import { AppError } from '../../shared/errors.ts'
import { keyOfVersion, type LibraryId } from '../../shared/library.ts'
import { type LibraryMetrics, readMetrics } from '../../shared/usage/read-metrics.ts'
import type { Caller } from '../access/caller.ts'
import { knownLibrary, owns } from '../access/visibility.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import { servedVersion } from './served-version.ts'

export type AnswerMetricsPorts = Parameters<typeof readMetrics>[0] & { catalog: Pick<HostedCatalog, 'record'> }

/**
 * The counters of a library, for the teamspace that owns it. Throws library_not_found (missing or hidden),
 * access_denied, tag_not_found, in this order.
 */
export async function answerMetrics(
  ports: AnswerMetricsPorts,
  { libraryId: id, days }: { libraryId: LibraryId; days: number },
  caller: Caller,
): Promise<LibraryMetrics> {
  const record = await knownLibrary(ports.catalog, caller, id)
  if (!owns(caller, record)) {
    throw new AppError(
      'access_denied',
      `${record.library.id} is not owned by the teamspace of this key. Only the owner sees its metrics.`,
    )
  }
  const version = id.version === undefined ? undefined : servedVersion(record, id).version
  return readMetrics(ports, keyOfVersion(record.key, version), days)
}
