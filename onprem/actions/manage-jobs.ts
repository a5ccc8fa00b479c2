import { AppError } from '../../shared/errors.ts'
import { printLibraryId } from '../../shared/library.ts'
import { actorOf, type Caller, turnOf } from '../access/caller.ts'
import { replacesParsed, requireReplace } from '../access/may-replace.ts'
import { type LicensePorts, requireLicense } from '../access/resolve-license.ts'
import type { AuditLog } from '../accounts/audit-log.ts'
import type { ImportFolder } from '../import/import-folder.ts'
import type { JobWorker } from '../jobs/job-worker.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { findLibrary } from '../store/catalog/visible-libraries.ts'
import { type Job, type NewJob, stateWord } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { enqueueAgain } from './enqueue-parse.ts'
import type { ParsePorts, Queued } from './queue-parse.ts'

export type RetryPorts = ParsePorts &
  LicensePorts & { jobs: Pick<JobStore, 'get'>; catalog: Pick<InstallCatalog, 'versions'>; imports: Pick<ImportFolder, 'has'> }

/** Queues the request of a failed or cancelled job again. Throws not_found, library_not_found, validation_error, job_active, timeout, forbidden. */
export async function retryJob(ports: RetryPorts, caller: Caller, id: number): Promise<Queued> {
  const job = findJob(ports, id)
  const order = ports.jobs.order(id)
  if (!order) throw noJob(id)
  if (job.state !== 'failed' && job.state !== 'cancelled')
    throw new AppError('validation_error', `Job ${id} is ${stateWord(job.state)}; only a failed or cancelled job can be retried.`)
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
      findLibrary(ports.catalog, order.library)
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

export type CancelJobPorts = { jobs: Pick<JobStore, 'get'>; worker: Pick<JobWorker, 'cancel'>; audit: Pick<AuditLog, 'record'> }

/** Cancels an unfinished job and waits until it has ended. Throws not_found, and validation_error if it is not unfinished. */
export async function cancelJob(ports: CancelJobPorts, caller: Caller, id: number): Promise<Job> {
  const job = findJob(ports, id)
  const subject = `${job.project} (job ${job.id})`
  const record = () => ports.audit.record({ actor: actorOf(caller), action: 'job.cancel', subject })
  if (!(await ports.worker.cancel(job.id, record)))
    throw new AppError('validation_error', `Job ${job.id} is ${findJob(ports, id).state}; only unfinished jobs can be cancelled.`)
  return findJob(ports, id)
}

/** Throws not_found. */
export function findJob({ jobs }: { jobs: Pick<JobStore, 'get'> }, id: number): Job {
  const job = jobs.get(id)
  if (!job) throw noJob(id)
  return job
}

const noJob = (id: number): AppError => new AppError('not_found', `There is no job ${id}.`)
