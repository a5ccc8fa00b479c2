import { AppError } from '../../shared/errors.ts'
import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { App } from '../app.ts'
import type { Project } from '../store/sqlite-catalog.ts'
import { needsReindex } from './reindex-library.ts'

type Ports = Pick<App, 'ai' | 'catalog' | 'jobs' | 'worker'>

export type QueuedReindex = { message: string; queued: string[]; skipped: { project: string; reason: string }[] }

/** The libraries that serve content without vectors of the embedder that is set now; none where none is set. */
export function outdatedLibraries({ ai, catalog }: Pick<Ports, 'ai' | 'catalog'>): Project[] {
  const embedder = ai.embedder()
  if (!embedder) return []
  const isOutdated = ({ id }: Project) => catalog.versions(parseLibraryId(id)).some(({ space }) => needsReindex(space, embedder))
  return catalog.projects().filter(isOutdated)
}

/** Queues a job for each library that needs one. Throws validation_error where no embedding provider is set. */
export function enqueueReindex(app: Ports): QueuedReindex {
  if (!app.ai.embedder()) {
    throw new AppError('validation_error', 'No embedding provider is set: set embedding.provider first, then index again.')
  }
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
