import { AppError } from '../../shared/errors.ts'
import { parseLibraryId } from '../../shared/library.ts'
import { type LicensePorts, requireLicense } from '../access/require-license.ts'
import type { ImportFolder } from '../import/import-folder.ts'
import { findProject } from '../store/find-project.ts'
import type { JobOrder } from '../store/job.ts'
import type { JobStore } from '../store/job-store.ts'
import { enqueueAgain, type ParsePorts, type Queued } from './enqueue-parse.ts'

type RetryPorts = ParsePorts & LicensePorts & { jobs: Pick<JobStore, 'get'>; imports: Pick<ImportFolder, 'has'> }

/** Queues what a job was asked once more. Throws not_found, library_not_found, validation_error, job_active, timeout, forbidden. */
export async function retry(ports: RetryPorts, id: number): Promise<Queued> {
  const job = ports.jobs.get(id)
  const stored = ports.jobs.order(id)
  if (!job || !stored) throw new AppError('not_found', `There is no job ${id}.`)
  if (job.state !== 'failed' && job.state !== 'cancelled')
    throw new AppError('validation_error', `Job ${id} is ${job.state}; only a failed or cancelled job is retried.`)
  const { project } = job
  switch (stored.kind) {
    case 'parse':
      return enqueueAgain(ports, project, stored.request)
    case 'import':
      requireLicense(ports, 'offline')
      if (!(await ports.imports.has(stored.request.staged)))
        throw new AppError(
          'validation_error',
          `What was to be imported of ${project} is no longer there. Import its bundle again.`,
        )
      return enqueue(ports, project, stored, 'Import queued')
    case 'reindex':
      findProject(ports.catalog, parseLibraryId(project))
      return enqueue(ports, project, stored, 'Re-index queued')
  }
}

function enqueue({ jobs, worker }: RetryPorts, project: string, order: { key: string } & JobOrder, message: string): Queued {
  const { id, position } = jobs.enqueue({ ...order, project })
  worker.wake()
  return { message, project, queueId: id, position }
}
