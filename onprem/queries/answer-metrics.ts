import { type LibraryId, versionKey } from '../../shared/library.ts'
import type { Counters } from '../../shared/usage/counters.ts'
import { type LibraryMetrics, readMetrics } from '../../shared/usage/read-metrics.ts'
import type { ProjectCatalog } from '../store/catalog/sqlite-catalog.ts'
import { findProject } from '../store/catalog/visible-projects.ts'

type MetricsPorts = { catalog: Pick<ProjectCatalog, 'find'>; counters: Pick<Counters, 'read'>; now(): Date }

/** The usage counters of a library of this install. Throws library_not_found, tag_not_found. */
export async function answerMetrics(
  ports: MetricsPorts,
  { libraryId: id, days }: { libraryId: LibraryId; days: number },
): Promise<LibraryMetrics> {
  findProject(ports.catalog, id)
  return readMetrics(ports, versionKey(id), days)
}
