import type { Ai } from '../../shared/ai/ai.ts'
import type { StoredVersion } from '../../shared/indexing/indexing-catalog.ts'
import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/snippet-store.ts'
import type { JobStore } from '../store/job-store.ts'
import type { Project } from '../store/project.ts'
import type { ProjectCatalog } from '../store/sqlite-catalog.ts'
import { isOutdated, needsVectors } from './reindex-library.ts'
import type { JobWorker } from './worker.ts'

type OutdatedPorts = {
  ai: Pick<Ai, 'embedder'>
  catalog: Pick<ProjectCatalog, 'projects' | 'versions'>
  snippets: Pick<SnippetStore, 'damaged' | 'format'>
}
type ReindexPorts = OutdatedPorts & { jobs: Pick<JobStore, 'enqueueAll'>; worker: Pick<JobWorker, 'wake'> }

export type QueuedReindex = { message: string; queued: string[]; skipped: { project: string; reason: string }[] }

/** Generations whose statistics could not be read: they are rebuilt from the rows. */
export const damagedStatistics = (snippets: Pick<SnippetStore, 'damaged'>): string[] =>
  snippets.damaged().flatMap(({ generation, damage }) => (damage === 'statistics' ? [generation] : []))

/** The libraries that have content in an old format, with damaged statistics or, if an embedder is set, without its vectors. */
export function outdatedLibraries({ ai, catalog, snippets }: OutdatedPorts): Project[] {
  const embedder = ai.embedder()
  const damaged = new Set(damagedStatistics(snippets))
  const isDue = (each: StoredVersion) =>
    isOutdated(each, snippets) || damaged.has(each.generation) || needsVectors(each, embedder)
  return catalog.projects().filter(({ id }) => catalog.versions(parseLibraryId(id)).some(isDue))
}

/** Queues a job for each library that needs one. */
export function enqueueReindex(ports: ReindexPorts): QueuedReindex {
  const projects = outdatedLibraries(ports)
  const asked = projects.map(({ id }) => ({
    key: libraryKey(parseLibraryId(id)),
    project: id,
    kind: 'reindex' as const,
    request: {},
  }))
  const outcomes = ports.jobs.enqueueAll(asked)
  ports.worker.wake()
  const queued = projects.filter((_, i) => 'id' in (outcomes[i] ?? {})).map(({ id }) => id)
  const skipped = projects.flatMap(({ id }, i) => {
    const outcome = outcomes[i]
    if (!outcome || !('inTheWay' in outcome)) return []
    const { id: job, state } = outcome.inTheWay
    return [{ project: id, reason: `job ${job} of it is ${state}; index again when that has ended` }]
  })
  return { message: `Re-index of ${queued.length} of ${projects.length} libraries queued`, queued, skipped }
}
