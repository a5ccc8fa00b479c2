import { AppError } from '../../shared/errors.ts'
import type { JobRequest } from '../../shared/indexing/index-job.ts'
import { indexLibrary } from '../../shared/indexing/index-library.ts'
import type { SourceSettings } from '../../shared/indexing/indexing-catalog.ts'
import type { IndexingPorts, Outcome } from '../../shared/indexing/job-run.ts'
import { type LibraryId, parseLibraryId } from '../../shared/library.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { ClaimedJob } from '../store/jobs/job.ts'
import { type ImportPorts, importLibrary } from './import-library.ts'
import { type ReindexPorts, reindexLibrary } from './reindex-library.ts'
import type { WorkProgress } from './work-progress.ts'

/** Runs a job of any kind. Only a re-index can pause. */
export const jobRunner =
  (ports: IndexingPorts & ImportPorts & ReindexPorts) =>
  async (claimed: ClaimedJob, progress: WorkProgress, signal: AbortSignal, pause: AbortSignal): Promise<Outcome> => {
    const job = { ...claimed, library: parseLibraryId(claimed.project) }
    switch (job.kind) {
      case 'parse':
        return noteUnavailable(
          ports,
          job,
          dropMissingNames(ports, job, progress, await indexLibrary(ports, job, progress, signal)),
        )
      case 'import':
        return importLibrary(ports, job, progress, signal)
      case 'reindex':
        return reindexLibrary(ports, job, progress, { signal, pause })
    }
  }

type DropNamesPorts = { catalog: Pick<InstallCatalog, 'find' | 'settings' | 'storeSettings'> }
type NotePorts = { catalog: Pick<InstallCatalog, 'find' | 'setUnavailable'> }
type ParseJob = { library: LibraryId; request: JobRequest }

/** Removes the names that a parse did not find from the source settings, so that the next refresh can succeed. */
function dropMissingNames(
  { catalog }: DropNamesPorts,
  { library, request }: ParseJob,
  progress: Pick<WorkProgress, 'log'>,
  outcome: Outcome,
): Outcome {
  const missing = missingNames(outcome.error)
  if (missing.size === 0 || !catalog.find(library)) return outcome
  const before = catalog.settings(library)
  const after = without(before, request, missing)
  if (JSON.stringify(after) === JSON.stringify(before)) return outcome
  catalog.storeSettings(library, after)
  progress.log('The names that do not exist are removed from the source settings.')
  return outcome
}

/** Keeps the reason why a host does not show the repository of an existing library, until a refresh succeeds. */
function noteUnavailable({ catalog }: NotePorts, { library }: ParseJob, outcome: Outcome): Outcome {
  const { error } = outcome
  if (error instanceof AppError && ['access_denied', 'not_found'].includes(error.code) && catalog.find(library))
    catalog.setUnavailable(library, error.message)
  return outcome
}

/** Paths of the request, such as `versions.0`. */
function missingNames(error: unknown): Set<string> {
  if (!(error instanceof AppError) || error.code !== 'tag_not_found') return new Set()
  const { fields = [] } = error.fields as { fields?: { path: string }[] }
  return new Set(fields.map(({ path }) => path))
}

/** A wrong branch or folder is replaced by the one that was read last. A branch that was read before stays, because only its owner knows its replacement. */
function without(settings: SourceSettings, { branch, versions, folders }: JobRequest, missing: Set<string>): SourceSettings {
  const after = { ...settings }
  const wrong = (names: string[] | undefined, field: string) => names?.filter((_, i) => missing.has(`${field}.${i}`)) ?? []
  const wrongVersions = wrong(versions, 'versions')
  if (after.versions) after.versions = after.versions.filter((each) => !wrongVersions.includes(each))
  const { applied } = settings
  if (!applied) return after
  if (missing.has('branch') && settings.branch === branch) after.branch = applied.branch
  if (wrong(folders, 'folders').some((each) => settings.folders?.includes(each))) after.folders = applied.folders
  return after
}
