import { AppError } from '../../shared/errors.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { AuditLog } from '../accounts/audit-log.ts'
import type { Job } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { findJob } from './find-job.ts'
import type { JobWorker } from './job-worker.ts'

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
