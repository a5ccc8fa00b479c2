import type { JobFigures, ShowProgress } from '../../shared/logging/show-progress.ts'
import type { ClaimedJob } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import type { Instruments } from './instruments.ts'

type RunInstruments = Pick<Instruments, 'jobSeconds' | 'jobFiles' | 'jobSnippets'>

export type MeasuredRuns = {
  /** The same display, which also counts the work of the running job. */
  showProgress(job: ClaimedJob, figures: () => JobFigures): { end(): void }
  /** Brings the counters up to date. */
  update(): void
}

/** Reads the figures of a running job when they are needed, so that a parse pays nothing for them. */
export function measureRuns({ jobSeconds, jobFiles, jobSnippets }: RunInstruments, show: ShowProgress): MeasuredRuns {
  const running = new Set<() => void>()
  return {
    update() {
      for (const each of running) each()
    },
    showProgress(job, figures) {
      const { kind } = job
      const shown = show(job, figures)
      let last = { seconds: performance.now() / 1000, files: 0, snippets: 0 }
      const count = () => {
        const { filesDone, snippets } = figures()
        // Only a parse reads files: the others count snippets as their progress.
        const next = { seconds: performance.now() / 1000, files: kind === 'parse' ? filesDone : 0, snippets }
        jobSeconds.inc({ kind }, next.seconds - last.seconds)
        jobFiles.inc({ kind }, Math.max(0, next.files - last.files))
        jobSnippets.inc({ kind }, Math.max(0, next.snippets - last.snippets))
        last = next
      }
      running.add(count)
      return {
        end() {
          shown.end()
          count()
          running.delete(count)
        },
      }
    },
  }
}

/** The same store, which counts the jobs that end. */
export const measureFinished = (jobs: JobStore, { jobsFinished }: Pick<Instruments, 'jobsFinished'>): JobStore => ({
  ...jobs,
  finish(id, end, record) {
    jobs.finish(id, end, record)
    jobsFinished.inc({ kind: jobs.get(id)?.kind ?? 'none', outcome: end.state })
  },
})
