import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../../shared/errors.ts'
import { countOf, pluralize } from '../../../shared/text/figures.ts'
import { type Connection, call } from './connection.ts'
import type { ProgressOutput } from './progress-output.ts'

const pollMs = { server: 500, thisProcess: 100 }

type Watching = {
  progress: ProgressOutput
  signal: AbortSignal
  /** Also throws the reason if the job must wait for another attempt. */
  once?: boolean
}

/** Waits until a job has ended and shows its progress. Throws the reason if it failed or was cancelled. */
export async function watchJob(
  { api, runJobs }: Pick<Connection, 'api' | 'runJobs'>,
  id: number,
  { progress, signal, once = false }: Watching,
) {
  let reported: string | undefined
  for (;;) {
    const job = await (await call(api.jobs[':id'].$get({ param: { id: String(id) } }))).json()
    if (job.finishedAt !== null) {
      progress.clear()
      if (job.state === 'done') return job
      throw new AppError('command_failed', `${job.project}: ${endOf(job)}`)
    }
    const { activeParses } = await (await call(api['parse-status'].$get())).json()
    const status = activeParses[job.project]
    if (once && status?.nextAttemptAt !== undefined) {
      progress.clear()
      throw new AppError('command_failed', withoutTime(status.statusMessage))
    }
    if (status?.nextAttemptAt !== undefined && status.nextAttemptAt !== reported) {
      reported = status.nextAttemptAt
      progress.remark(`${job.project}: ${withoutTime(status.statusMessage)} Trying again ${inSeconds(reported)}.`)
    }
    // The job may have ended since.
    if (status) progress.show(progressText(job, status), job.filesTotal === 0 ? 0 : job.filesDone / job.filesTotal)
    await sleep(runJobs ? pollMs.thisProcess : pollMs.server, undefined, { signal })
  }
}

const withoutTime = (message = ''): string => message.replace(/ The next attempt is at \S+$/, '')

const inSeconds = (at: string): string => `in ${Math.max(1, Math.ceil((Date.parse(at) - Date.now()) / 1000))} s`

type Shown = { project: string; snippets: number }
type Status = { status: string; position?: number | undefined; statusMessage?: string | undefined }

function progressText({ project, snippets }: Shown, status: Status): string {
  const counted = snippets === 0 ? '' : `, ${countOf(snippets, 'snippet')}`
  return `${project}: ${statusText(status)}${counted}`
}

function statusText({ status, position = 0, statusMessage }: Status): string {
  if (statusMessage !== undefined) return statusMessage
  if (status === 'finalizing') return 'Writing the index'
  return position === 0 ? 'Waiting' : `Waiting for ${pluralize(position, 'job')}`
}

/** The error of a job is a code, a colon and a sentence. */
const endOf = ({ id, state, error }: { id: number; state: string; error: string | null }): string =>
  state === 'cancelled' ? `job ${id} was cancelled.` : (error ?? `job ${id} failed.`).replace(/^[a-z_]+: /, '')
