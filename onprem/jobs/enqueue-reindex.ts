import type { Ai } from '../../shared/ai/ai.ts'
import type { Vectors } from '../../shared/ai/vectors.ts'
import type { StoredVersion } from '../../shared/indexing/indexing-catalog.ts'
import { type LibraryId, parseLibraryId, printLibraryId } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import type { ProjectCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import type { JobWorker } from './job-worker.ts'
import { isOldFormat, missingVectors } from './reindex-library.ts'

export type OutdatedPorts = {
  ai: Pick<Ai, 'embedder'>
  catalog: Pick<ProjectCatalog, 'projects' | 'versions'>
  snippets: Pick<SnippetStore, 'damaged' | 'format'>
  vectors: Pick<Vectors, 'leftOut'>
}
export type ReindexPorts = OutdatedPorts & { jobs: Pick<JobStore, 'enqueueAll'>; worker: Pick<JobWorker, 'wake'> }

export type QueuedReindex = { message: string; queued: string[]; skipped: { project: string; reason: string }[] }

/** Generations with unreadable statistics, which a job rebuilds from the rows. */
export const damagedStatistics = (snippets: Pick<SnippetStore, 'damaged'>): string[] =>
  snippets.damaged().flatMap(({ generation, damage }) => (damage === 'statistics' ? [generation] : []))

/** The libraries with content in an old format, with damaged statistics or, if an embedder is set, without all of its vectors. */
export function outdatedLibraries({ ai, catalog, snippets, vectors }: OutdatedPorts): LibraryId[] {
  const embedder = ai.embedder()
  const damaged = new Set(damagedStatistics(snippets))
  const isOutdated = (each: StoredVersion) =>
    isOldFormat(each, snippets) || damaged.has(each.generation) || missingVectors(each, embedder, vectors) > 0
  const libraries = catalog.projects().map(({ id }) => parseLibraryId(id))
  return libraries.filter((id) => catalog.versions(id).some(isOutdated))
}

/** The maximum cost of embedding these libraries: a text that several versions share is embedded once. */
export function embeddingCost(
  { ai, catalog, vectors }: OutdatedPorts,
  libraries: readonly LibraryId[],
): { texts: number; tokens: number } {
  const embedder = ai.embedder()
  const due = libraries
    .flatMap((id) => catalog.versions(id))
    .map((each) => ({ ...each, missing: missingVectors(each, embedder, vectors) }))
  return {
    texts: due.reduce((sum, { missing }) => sum + missing, 0),
    tokens: Math.ceil(
      due.reduce((sum, { missing, snippets, tokens }) => sum + (missing > 0 ? (tokens * missing) / snippets : 0), 0),
    ),
  }
}

/** Queues a job of a caller for each outdated library. */
export function enqueueReindex(ports: ReindexPorts, caller: string): QueuedReindex {
  const libraries = outdatedLibraries(ports)
  const outcomes = ports.jobs.enqueueAll(libraries.map((library) => ({ library, kind: 'reindex', request: {}, caller })))
  ports.worker.wake()
  const queued = libraries.filter((_, i) => 'id' in (outcomes[i] ?? {})).map(printLibraryId)
  const skipped = libraries.flatMap((library, i) => {
    const outcome = outcomes[i]
    if (!outcome || !('inTheWay' in outcome)) return []
    const { id: job, state } = outcome.inTheWay
    return [{ project: printLibraryId(library), reason: `its job ${job} is ${state}; index again when it has ended` }]
  })
  return { message: `Re-index of ${queued.length} of ${libraries.length} libraries queued`, queued, skipped }
}
