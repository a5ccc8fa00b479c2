import type { StoredVersion } from '../../shared/indexing/indexing-catalog.ts'
import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { App } from '../app.ts'
import type { Project } from '../store/project.ts'
import { isOutdated, needsVectors } from './reindex-library.ts'

type ReindexPorts = Pick<App, 'ai' | 'catalog' | 'jobs' | 'snippets' | 'worker'>

export type QueuedReindex = { message: string; queued: string[]; skipped: { project: string; reason: string }[] }

/** Generations whose statistics could not be read: they are rebuilt from the rows. */
export const damagedStatistics = (snippets: Pick<ReindexPorts['snippets'], 'damaged'>): string[] =>
  snippets.damaged().flatMap(({ generation, damage }) => (damage === 'statistics' ? [generation] : []))

/** The libraries that have content in an old format, with damaged statistics or, if an embedder is set, without its vectors. */
export function outdatedLibraries({ ai, catalog, snippets }: Pick<ReindexPorts, 'ai' | 'catalog' | 'snippets'>): Project[] {
  const embedder = ai.embedder()
  const damaged = new Set(damagedStatistics(snippets))
  const isDue = (each: StoredVersion) =>
    isOutdated(each, snippets) || damaged.has(each.generation) || needsVectors(each, embedder)
  return catalog.projects().filter(({ id }) => catalog.versions(parseLibraryId(id)).some(isDue))
}

/** Queues a job for each library that needs one. */
export function enqueueReindex(app: ReindexPorts): QueuedReindex {
  const projects = outdatedLibraries(app)
  const asked = projects.map(({ id }) => ({
    key: libraryKey(parseLibraryId(id)),
    project: id,
    kind: 'reindex' as const,
    request: {},
  }))
  const outcomes = app.jobs.enqueueAll(asked)
  app.worker.wake()
  const queued = projects.filter((_, i) => 'id' in (outcomes[i] ?? {})).map(({ id }) => id)
  const skipped = projects.flatMap(({ id }, i) => {
    const outcome = outcomes[i]
    if (!outcome || !('inTheWay' in outcome)) return []
    const { id: job, state } = outcome.inTheWay
    return [{ project: id, reason: `job ${job} of it is ${state}; index again when that has ended` }]
  })
  return { message: `Re-index of ${queued.length} of ${projects.length} libraries queued`, queued, skipped }
}
