import { isLibraryId, libraryKey, parseLibraryId, printLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import type { SnippetStore } from '../../shared/search/snippet-store.ts'
import type { JobStore } from '../store/job-store.ts'
import type { ProjectCatalog } from '../store/sqlite-catalog.ts'
import { damagedStatistics } from './enqueue-reindex.ts'

type RebuildPorts = {
  catalog: Pick<ProjectCatalog, 'outdated' | 'servedBy'>
  jobs: Pick<JobStore, 'active' | 'enqueue' | 'nextDue'>
  snippets: Pick<SnippetStore, 'format' | 'damaged'>
  log: Log
}

/**
 * A function that queues the rebuilding of one library whose content is in an old format or has damaged statistics, if no job waits or runs: jobs that users ask for
 * never wait for more than one of these. Each library is tried once per process.
 */
export function rebuildOutdated({ catalog, jobs, snippets, log }: RebuildPorts): () => void {
  const tried = new Set<string>()
  const withDamagedStatistics = () => catalog.servedBy(damagedStatistics(snippets)).filter(isLibraryId).map(withoutVersion)
  return () => {
    // The list is read only if nothing waits, so it is short.
    if (jobs.nextDue() || jobs.active().length > 0) return
    const due = [...catalog.outdated(snippets.format), ...withDamagedStatistics()].filter((each) => !tried.has(each))
    const [project] = due
    if (project === undefined) return
    if (tried.size === 0)
      log.info({ libraries: due.length }, 'content in an old format or with damaged statistics is rebuilt from its rows')
    jobs.enqueue({ key: libraryKey(parseLibraryId(project)), project, kind: 'reindex', request: { keepVectors: true } })
    tried.add(project)
  }
}

function withoutVersion(id: string): string {
  const { owner, repo } = parseLibraryId(id)
  return printLibraryId({ owner, repo })
}
