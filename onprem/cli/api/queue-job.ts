import { AppError } from '../../../shared/errors.ts'
import { type Connection, call } from './connection.ts'
import type { ProgressOutput } from './progress-output.ts'
import { watchJob } from './watch-job.ts'

type QueuePorts = Pick<Connection, 'api' | 'runJobs'> & { progress: ProgressOutput }

/**
 * Queues a job by `post`. Without a server, no process runs an unfinished job of the same library: it runs first, so that neither
 * request is lost. Throws what `post` throws, job_active if a server runs the other job.
 */
export async function queueJob<Queued>(ports: QueuePorts, post: () => Promise<Queued>, signal: AbortSignal): Promise<Queued> {
  try {
    return await post()
  } catch (error) {
    const { api, runJobs, progress } = ports
    if (!runJobs || !(error instanceof AppError) || error.code !== 'job_active') throw error
    const id = await unfinishedJob(api, error.fields.project)
    if (id === undefined) throw error
    progress.remark(`Job ${id} of ${error.fields.project} was in the queue before; it runs first.`)
    await runJobs([id])
    await watchJob(ports, id, { progress, signal }).catch((failure: unknown) => {
      if (signal.aborted || !(failure instanceof AppError)) throw failure
      progress.remark(failure.message)
    })
    return post()
  }
}

async function unfinishedJob(api: Connection['api'], libraryId: unknown): Promise<number | undefined> {
  const pageSize = 200
  for (let page = 1; ; page++) {
    const query = { page: String(page), pageSize: String(pageSize) }
    const { jobs, total } = await (await call(api.jobs.$get({ query }))).json()
    const unfinished = jobs.find((job) => job.project === libraryId && job.finishedAt === null)
    if (unfinished || page * pageSize >= total) return unfinished?.id
  }
}
