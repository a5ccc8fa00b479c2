import { AppError } from '../../shared/errors.ts'
import { printLibraryId } from '../../shared/library.ts'
import { actorOf, type Caller, turnOf } from '../access/caller.ts'
import { replacesParsed, requireReplace } from '../access/may-replace.ts'
import { type LicensePorts, requireLicense } from '../access/require-license.ts'
import type { ImportFolder } from '../import/import-folder.ts'
import { findProject } from '../store/catalog/find-project.ts'
import type { ProjectCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { NewJob } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { enqueueAgain, type ParsePorts, type Queued } from './enqueue-parse.ts'

export type RetryPorts = ParsePorts &
  LicensePorts & { jobs: Pick<JobStore, 'get'>; catalog: Pick<ProjectCatalog, 'versions'>; imports: Pick<ImportFolder, 'has'> }

/** Queues the request of a failed or cancelled job again. Throws not_found, library_not_found, validation_error, job_active, timeout, forbidden. */
export async function retryJob(ports: RetryPorts, caller: Caller, id: number): Promise<Queued> {
  const job = ports.jobs.get(id)
  const order = ports.jobs.order(id)
  if (!job || !order) throw new AppError('not_found', `There is no job ${id}.`)
  if (job.state !== 'failed' && job.state !== 'cancelled')
    throw new AppError('validation_error', `Job ${id} is ${job.state}; only a failed or cancelled job can be retried.`)
  switch (order.kind) {
    case 'parse':
      return enqueueAgain(ports, caller, order.library, order.request)
    case 'import':
      requireLicense(ports, 'offline')
      if (!(await ports.imports.has(order.request.staged)))
        throw new AppError('validation_error', `The uploaded data of ${job.project} was deleted. Import the bundle again.`)
      // Last, because the library may have been parsed during the look into the folder.
      if (replacesParsed(ports, order.library)) requireReplace(ports, caller, order.library, 'replace it by an import')
      return enqueue(ports, caller, order, 'Import queued')
    case 'reindex':
      findProject(ports.catalog, order.library)
      return enqueue(ports, caller, order, 'Re-index queued')
  }
}

function enqueue({ jobs, worker, audit, atomically }: RetryPorts, caller: Caller, order: NewJob, message: string): Queued {
  const subject = printLibraryId(order.library)
  const { id, position } = atomically(() => {
    audit.record({ actor: actorOf(caller), action: `library.${order.kind}`, subject })
    return jobs.enqueue({ ...order, caller: turnOf(caller) })
  })
  worker.wake()
  return { message, project: subject, queueId: id, position }
}
