import { type JobProgress, readingMessage } from '../../shared/indexing/job-run.ts'
import type { JobFigures } from '../../shared/logging/show-progress.ts'
import type { ClaimedJob } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

/** `counting` reports the progress of a job that copies snippets instead of reading files. */
export type WorkProgress = Required<JobProgress> & { counting(message: string, total: number): Counting }
export type Counting = { done(count: number): void; indexing(): void }

const reportEveryMs = 200

type WorkProgressPorts = { jobs: Pick<JobStore, 'addLogLine' | 'progress' | 'spent' | 'finalizing' | 'files'>; now(): Date }

/** Stores the log and the progress of a job, the progress at most five times a second. `figures` returns the progress at any time. */
export function workProgress(
  { jobs, now }: WorkProgressPorts,
  job: ClaimedJob,
): { progress: WorkProgress; figures(): JobFigures } {
  const state = { filesDone: 0, filesTotal: 0, snippets: 0, statusMessage: 'Starting' }
  let reported = 0
  const report = (always = false) => {
    const time = now().getTime()
    if (!always && time - reported < reportEveryMs) return
    reported = time
    jobs.progress(job.id, state)
  }
  const progress: WorkProgress = {
    log: (text) => jobs.addLogLine(job.id, text),
    spent: (figures) => jobs.spent(job.id, figures),
    stage(message) {
      state.statusMessage = message
      report(true)
    },
    counting(message, total) {
      Object.assign(state, { filesTotal: total, filesDone: 0, statusMessage: message })
      report(true)
      return {
        done(count) {
          state.filesDone = state.snippets = count
          report()
        },
        indexing() {
          state.statusMessage = 'Building indexes'
          report(true)
          jobs.finalizing(job.id)
        },
      }
    },
    reading(version) {
      const { suspects, ...files } = jobs.files(job.id, version)
      const before = state.snippets
      return {
        ...files,
        suspects: suspects(),
        filesFound(total) {
          // The total covers all versions.
          Object.assign(state, { filesTotal: state.filesDone + total, statusMessage: readingMessage(version) })
          report(true)
        },
        read(snippets) {
          state.filesDone += 1
          state.snippets = before + snippets
          report()
        },
        indexing() {
          state.statusMessage = 'Building indexes'
          report(true)
          jobs.finalizing(job.id)
        },
      }
    },
  }
  const figures = () => {
    const { statusMessage, ...counts } = state
    return { stage: statusMessage, ...counts }
  }
  return { progress, figures }
}
