import type { Log } from '../log.ts'

export type RunningJob = { id: number | string; project: string }
/** The progress of a running job. `filesTotal` is 0 until the files are counted; an import counts snippets instead of files. */
export type JobFigures = { stage: string; filesDone: number; filesTotal: number; snippets: number }

/** Shows a running job to the person who watches the server, until `end`. Reads the figures when it needs them. */
export type ShowProgress = (job: RunningJob, figures: () => JobFigures) => { end(): void }

const everyMs = 5_000

/** Logs a line every five seconds while a job runs. */
export const logProgress =
  (log: Pick<Log, 'info'>): ShowProgress =>
  ({ id, project }, figures) => {
    const timer = setInterval(() => log.info({ job: id, project, ...figures() }, 'job progress'), everyMs).unref()
    return { end: () => clearInterval(timer) }
  }
