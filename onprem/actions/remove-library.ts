import type { Vectors } from '../../shared/ai/vectors.ts'
import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, rejectLatest, versionKey } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import type { Atomically } from '../accounts/audit-log.ts'
import type { ImportFolder } from '../import/import-folder.ts'
import type { JobWorker } from '../jobs/job-worker.ts'
import type { LibraryOwners } from '../store/catalog/library-owners.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { findVisible, storedId, type VisibleLibrariesPorts } from '../store/catalog/visible-libraries.ts'
import { stateWord } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { type SweepVectorsPorts, sweepVectors } from '../store/vectors/sweep-vectors.ts'

export type RemoveLibraryPorts = VisibleLibrariesPorts &
  SweepVectorsPorts & {
    catalog: Pick<InstallCatalog, 'remove' | 'isHeld'>
    jobs: Pick<JobStore, 'dismiss' | 'stagedOf'>
    worker: Pick<JobWorker, 'cancel'>
    imports: Pick<ImportFolder, 'remove'>
    snippets: Pick<SnippetStore, 'drop'>
    vectors: Vectors
    owners: Pick<LibraryOwners, 'forget'>
    atomically: Atomically
  }

/** The library that a caller may delete, or the version that the id pins. Throws library_not_found, tag_not_found, job_active. */
export function removable(ports: VisibleLibrariesPorts & { jobs: Pick<JobStore, 'activeOf'> }, requested: LibraryId): LibraryId {
  const library = findVisible(ports, requested)
  rejectLatest(requested, new Set(library.versions))
  const active = ports.jobs.activeOf(libraryKey(requested))
  if (active) {
    throw new AppError(
      'job_active',
      `${library.id} has a job that is ${stateWord(active.state)}; cancel job ${active.id} first.`,
      {
        fields: { project: library.id, status: active.state },
      },
    )
  }
  return storedId(library, requested)
}

/** Removes a library or version with its content. Its rows are gone when this returns, its content when the promise resolves. `record` runs in the same transaction. */
export async function removeStored(ports: RemoveLibraryPorts, id: LibraryId, record = () => {}): Promise<void> {
  const { catalog, jobs, imports, snippets, vectors, worker } = ports
  const key = libraryKey(id)
  const reindex = id.version === undefined ? jobs.reindexOf(key) : undefined
  const cancelled = reindex && worker.cancel(reindex.id)
  const removed = ports.atomically(() => {
    if (id.version === undefined) {
      jobs.dismiss(key)
      ports.owners.forget(id)
    }
    record()
    return catalog.remove(id)
  })
  await cancelled
  vectors.disown(key)
  await imports.remove(jobs.stagedOf(versionKey(id)))
  // The sweep deletes the generations that a backup still copies.
  for (const generation of removed.filter((each) => !catalog.isHeld(each))) {
    await snippets.drop(generation)
    await vectors.forget(generation)
    catalog.forget(generation)
  }
  await sweepVectors(ports)
}
