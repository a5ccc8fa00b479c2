import type { Ai } from '../../shared/ai/ai.ts'
import type { Vectors } from '../../shared/ai/vectors.ts'
import type { StoredVersion } from '../../shared/indexing/indexing-catalog.ts'
import { type LibraryId, libraryKey, parseLibraryId, printLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { isOldFormat } from '../jobs/copy-generation.ts'
import type { JobWorker } from '../jobs/job-worker.ts'
import { missingVectors } from '../jobs/reindex-library.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { stateWord } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

type OutdatedPorts = {
  ai: Pick<Ai, 'embedder'>
  catalog: Pick<InstallCatalog, 'libraries' | 'versions'>
  snippets: Pick<SnippetStore, 'damaged' | 'format'>
  vectors: Pick<Vectors, 'leftOut'>
}
export type ReindexPorts = OutdatedPorts & { jobs: Pick<JobStore, 'enqueueAll' | 'hasten'>; worker: Pick<JobWorker, 'wake'> }

type QueuedReindex = { message: string; queued: string[]; skipped: { project: string; reason: string }[] }

/** Generations with unreadable statistics, which a job rebuilds from the rows. */
const damagedStatistics = (snippets: Pick<SnippetStore, 'damaged'>): string[] =>
  snippets.damaged().flatMap(({ generation, damage }) => (damage === 'statistics' ? [generation] : []))

/** The libraries with content in an old format, with damaged statistics or, if an embedder is set, without all of its vectors. */
export function outdatedLibraries({ ai, catalog, snippets, vectors }: OutdatedPorts): LibraryId[] {
  const embedder = ai.embedder()
  const damaged = new Set(damagedStatistics(snippets))
  const isOutdated = (each: StoredVersion) =>
    isOldFormat(each, snippets) || damaged.has(each.generation) || missingVectors(each, embedder, vectors) > 0
  const libraries = catalog.libraries().map(({ id }) => parseLibraryId(id))
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

/** Queues a job of a caller for each outdated library. Jobs that wait for their provider try again. */
export function enqueueReindex(ports: ReindexPorts, caller: string): QueuedReindex {
  const libraries = outdatedLibraries(ports)
  const outcomes = ports.jobs.enqueueAll(libraries.map((library) => ({ library, kind: 'reindex', request: {}, caller })))
  ports.jobs.hasten()
  ports.worker.wake()
  const queued = libraries.filter((_, i) => 'id' in (outcomes[i] ?? {})).map(printLibraryId)
  const skipped = libraries.flatMap((library, i) => {
    const outcome = outcomes[i]
    if (!outcome || !('inTheWay' in outcome)) return []
    const { id: job, state } = outcome.inTheWay
    return [{ project: printLibraryId(library), reason: `its job ${job} is ${stateWord(state)}; index again when it has ended` }]
  })
  return { message: `Re-index of ${queued.length} of ${libraries.length} libraries queued`, queued, skipped }
}

type EmbedPorts = Pick<OutdatedPorts, 'ai' | 'vectors'> & {
  catalog: Pick<InstallCatalog, 'versions'>
  jobs: Pick<JobStore, 'get' | 'enqueueAll'>
}

/** Returns a function that queues a re-index if a parse or import has published content whose vectors are still to be made. */
export const embedPublished =
  ({ ai, catalog, jobs, vectors }: EmbedPorts) =>
  (id: number): void => {
    const job = jobs.get(id)
    if (!job || job.kind === 'reindex') return
    const { owner, repo } = parseLibraryId(job.project)
    const published = catalog.versions({ owner, repo }).filter(({ generation }) => generation.startsWith(`g${id}-`))
    const embedder = ai.embedder()
    if (!published.some((each) => missingVectors(each, embedder, vectors) > 0)) return
    jobs.enqueueAll([{ library: { owner, repo }, kind: 'reindex', request: {} }])
  }

type RebuildPorts = {
  catalog: Pick<InstallCatalog, 'outdated' | 'servedBy'>
  jobs: Pick<JobStore, 'active' | 'enqueue' | 'reindexOf'>
  snippets: Pick<SnippetStore, 'format' | 'damaged'>
  log: Log
}

/**
 * Returns a function that queues one re-index of a library with an old format or damaged statistics, if no other job than a re-index is queued or
 * running, and none of these. Each library is tried once per process.
 */
export function rebuildOutdated({ catalog, jobs, snippets, log }: RebuildPorts): () => void {
  const tried = new Set<string>()
  let last: string | undefined
  const withDamagedStatistics = () => catalog.servedBy(damagedStatistics(snippets)).map(parseLibraryId)
  return () => {
    if (last !== undefined && jobs.reindexOf(last)) return
    if (jobs.active().some(({ kind }) => kind !== 'reindex')) return
    const due = [...catalog.outdated(snippets.format), ...withDamagedStatistics()].filter(
      (id) => !tried.has(libraryKey(id)) && !jobs.reindexOf(libraryKey(id)),
    )
    const [id] = due
    if (id === undefined) return
    if (tried.size === 0)
      log.info({ libraries: due.length }, 'content in an old format or with damaged statistics is rebuilt from its rows')
    const library: LibraryId = { owner: id.owner, repo: id.repo }
    jobs.enqueue({ library, kind: 'reindex', request: { keepVectors: true } })
    last = libraryKey(library)
    tried.add(last)
  }
}
