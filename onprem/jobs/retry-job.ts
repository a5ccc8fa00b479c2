import { AppError } from '../../shared/errors.ts'
import { parseLibraryId } from '../../shared/library.ts'
import { requireLicense } from '../access/require-license.ts'
import type { App } from '../app.ts'
import { findProject } from '../store/find-project.ts'
import type { JobOrder } from '../store/job.ts'
import { enqueueAgain, type ParsePorts, type Queued } from './enqueue-parse.ts'

type RetryPorts = ParsePorts & Pick<App, 'imports' | 'license' | 'now'>

/** Queues what a job was asked once more. Throws not_found, library_not_found, validation_error, job_active, timeout, forbidden. */
export async function retry(app: RetryPorts, id: number): Promise<Queued> {
  const job = app.jobs.get(id)
  const stored = app.jobs.order(id)
  if (!job || !stored) throw new AppError('not_found', `There is no job ${id}.`)
  if (job.state !== 'failed' && job.state !== 'cancelled')
    throw new AppError('validation_error', `Job ${id} is ${job.state}; only a failed or cancelled job is retried.`)
  const { project } = job
  switch (stored.kind) {
    case 'parse':
      return enqueueAgain(app, project, stored.request)
    case 'import':
      requireLicense(app, 'offline')
      if (!(await app.imports.has(stored.request.staged)))
        throw new AppError(
          'validation_error',
          `What was to be imported of ${project} is no longer there. Import its bundle again.`,
        )
      return enqueue(app, project, stored, 'Import queued')
    case 'reindex':
      findProject(app.catalog, parseLibraryId(project))
      return enqueue(app, project, stored, 'Re-index queued')
  }
}

function enqueue({ jobs, worker }: RetryPorts, project: string, order: { key: string } & JobOrder, message: string): Queued {
  const { id, position } = jobs.enqueue({ ...order, project })
  worker.wake()
  return { message, project, queueId: id, position }
}
