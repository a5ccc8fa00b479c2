import type { IndexJob } from '../../shared/indexing/index-job.ts'

export type Progress = { stage: string; filesDone: number; filesTotal: number; snippets: number }

/** The one unfinished job of a library. Times are ISO 8601. */
export type HostedJob = Omit<IndexJob, 'library'> & {
  id: string
  /** Id of the library. */
  project: string
  key: string
  state: 'queued' | 'running'
  /** Number of workers that died while they ran the job. */
  interruptions: number
  createdAt: string
  /** The job does not start before this time. */
  dueAt: string
  /** The last time that a worker was requested. */
  sentAt: string
  progress: Progress
  /** The worker that runs the job. */
  owner?: string
  /** The end of the worker's lease, unless it renews it. */
  leaseUntil?: string
}

/** A job that a worker has claimed. */
export type ClaimedJob = HostedJob & { owner: string }
