import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import { type LibraryMetrics, readMetrics } from '../../shared/usage/read-metrics.ts'
import type { App } from '../app.ts'
import { findProject } from '../store/find-project.ts'

/** The counters of a library of this install. Throws invalid_library_id, library_not_found, tag_not_found. */
export async function askMetrics(
  app: Pick<App, 'catalog' | 'counters' | 'now'>,
  { libraryId, days }: { libraryId: string; days: number },
): Promise<LibraryMetrics> {
  const id = parseLibraryId(libraryId)
  findProject(app.catalog, id)
  const key = libraryKey(id)
  return readMetrics(app, id.version === undefined ? key : `${key}@${id.version}`, days)
}
