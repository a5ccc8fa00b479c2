import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import type { SnippetStore } from '../../shared/search/snippet-store.ts'
import type { ProjectCatalog } from '../store/sqlite-catalog.ts'
import type { JobStore } from './job-store.ts'

type Ports = {
  catalog: Pick<ProjectCatalog, 'outdated'>
  jobs: Pick<JobStore, 'active' | 'enqueue' | 'nextDue'>
  snippets: Pick<SnippetStore, 'format'>
  log: Log
}

/**
 * A function that queues the rebuilding of one library whose content is in an old format, if no job waits or runs: jobs that users ask for
 * never wait for more than one of these. Each library is tried once per process.
 */
export function rebuildOutdated({ catalog, jobs, snippets, log }: Ports): () => void {
  const tried = new Set<string>()
  return () => {
    // The list is read only if nothing waits, so it is short.
    if (jobs.nextDue() || jobs.active().length > 0) return
    const outdated = catalog.outdated(snippets.format).filter((each) => !tried.has(each))
    const [project] = outdated
    if (project === undefined) return
    if (tried.size === 0) log.info({ libraries: outdated.length }, 'content in an old format is rebuilt')
    jobs.enqueue({ key: libraryKey(parseLibraryId(project)), project, kind: 'reindex', request: { keepVectors: true } })
    tried.add(project)
  }
}
