import { isLibraryId, type LibraryId, libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import type { ProjectCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { damagedStatistics } from './enqueue-reindex.ts'

type RebuildPorts = {
  catalog: Pick<ProjectCatalog, 'outdated' | 'servedBy'>
  jobs: Pick<JobStore, 'active' | 'enqueue' | 'nextDue'>
  snippets: Pick<SnippetStore, 'format' | 'damaged'>
  log: Log
}

/**
 * Returns a function that queues one re-index of a library with an old format or damaged statistics, if no job is queued or running: a job
 * of a user never waits for more than one of these. Each library is tried once per process.
 */
export function rebuildOutdated({ catalog, jobs, snippets, log }: RebuildPorts): () => void {
  const tried = new Set<string>()
  const withDamagedStatistics = () => catalog.servedBy(damagedStatistics(snippets)).filter(isLibraryId).map(parseLibraryId)
  return () => {
    // The list is only read when no job is queued, so it is short.
    if (jobs.nextDue() || jobs.active().length > 0) return
    const due = [...catalog.outdated(snippets.format), ...withDamagedStatistics()].filter((id) => !tried.has(libraryKey(id)))
    const [id] = due
    if (id === undefined) return
    if (tried.size === 0)
      log.info({ libraries: due.length }, 'content in an old format or with damaged statistics is rebuilt from its rows')
    const library: LibraryId = { owner: id.owner, repo: id.repo }
    jobs.enqueue({ library, kind: 'reindex', request: { keepVectors: true } })
    tried.add(libraryKey(library))
  }
}
