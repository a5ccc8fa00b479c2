import { type LibraryId, versionKey } from '../../shared/library.ts'
import type { Counters } from '../../shared/usage/counters.ts'
import { type LibraryMetrics, readMetrics } from '../../shared/usage/read-metrics.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { findLibrary, storedId } from '../store/catalog/visible-libraries.ts'

type MetricsPorts = { catalog: Pick<InstallCatalog, 'find'>; counters: Pick<Counters, 'read'>; now(): Date }

/** The usage counters of a library of this install. Throws library_not_found, tag_not_found. */
export async function answerMetrics(
  ports: MetricsPorts,
  { libraryId: id, days }: { libraryId: LibraryId; days: number },
): Promise<LibraryMetrics> {
  const library = findLibrary(ports.catalog, id)
  return readMetrics(ports, versionKey(storedId(library, id)), days)
}
