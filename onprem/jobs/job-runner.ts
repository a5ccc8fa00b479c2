import { indexLibrary } from '../../shared/indexing/index-library.ts'
import type { IndexingPorts, Outcome } from '../../shared/indexing/job-run.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { ClaimedJob } from '../store/jobs/job.ts'
import { dropMissingNames } from './drop-missing-names.ts'
import { type ImportPorts, importLibrary } from './import-library.ts'
import { type ReindexPorts, reindexLibrary } from './reindex-library.ts'
import type { WorkProgress } from './work-progress.ts'

/** Runs a job of any kind. */
export const jobRunner =
  (ports: IndexingPorts & ImportPorts & ReindexPorts) =>
  async (claimed: ClaimedJob, progress: WorkProgress, signal: AbortSignal): Promise<Outcome> => {
    const job = { ...claimed, library: parseLibraryId(claimed.project) }
    switch (job.kind) {
      case 'parse':
        return dropMissingNames(ports, job, progress, await indexLibrary(ports, job, progress, signal))
      case 'import':
        return importLibrary(ports, job, progress, signal)
      case 'reindex':
        return reindexLibrary(ports, job, progress, signal)
    }
  }
