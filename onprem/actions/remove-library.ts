import type { Vectors } from '../../shared/ai/vectors.ts'
import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, printLibraryId, versionKey } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import { type HidePrivatePorts, hidePrivate } from '../access/hide-private.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { ImportFolder } from '../import/import-folder.ts'
import type { JobWorker } from '../jobs/job-worker.ts'
import type { LibraryOwners } from '../store/catalog/library-owners.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { findVisible, storedId, type VisibleLibrariesPorts } from '../store/catalog/visible-libraries.ts'
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

/** Removes a library, or the version that the id pins, with its content; `record` runs in the same transaction. Throws library_not_found, tag_not_found, job_active. */
async function removeLibrary(ports: RemoveLibraryPorts, requested: LibraryId, record: () => void): Promise<void> {
  const { catalog, jobs, imports, snippets, vectors, worker } = ports
  const key = libraryKey(requested)
  const library = findVisible(ports, requested)
  const id = storedId(library, requested)
  const active = jobs.activeOf(key)
  if (active) {
    throw new AppError('job_active', `${library.id} has a job that is ${active.state}; cancel job ${active.id} first.`, {
      fields: { project: library.id, status: active.state },
    })
  }
  const reindex = id.version === undefined ? jobs.reindexOf(key) : undefined
  if (reindex) await worker.cancel(reindex.id)
  const removed = ports.atomically(() => {
    if (id.version === undefined) {
      jobs.dismiss(key)
      ports.owners.forget(id)
    }
    record()
    return catalog.remove(id)
  })
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

export type DeletePorts = HidePrivatePorts & RemoveLibraryPorts & { audit: Pick<AuditLog, 'record'> }

/** Throws what `hidePrivate` and `removeLibrary` throw. */
export async function deleteForCaller(ports: DeletePorts, caller: Caller, id: LibraryId): Promise<void> {
  const record = () => ports.audit.record({ actor: actorOf(caller), action: 'library.delete', subject: printLibraryId(id) })
  await hidePrivate(ports, caller, id, (seen) => removeLibrary(seen, id, record))
}
