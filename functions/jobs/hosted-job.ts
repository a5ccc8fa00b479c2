import type { IndexJob } from '../../shared/indexing/index-job.ts'

/** How far a run is. */
export type Progress = { stage: string; filesDone: number; filesTotal: number; snippets: number }

/** The one unfinished job of a library. Times are ISO 8601. */
export type HostedJob = Omit<IndexJob, 'library'> & {
  id: string
  /** Id of the library. */
  project: string
  key: string
  state: 'queued' | 'running'
  /** Workers that died over it. */
  interruptions: number
  createdAt: string
  /** Not before. */
  dueAt: string
  /** When a worker was last asked for. */
  sentAt: string
  progress: Progress
  /** The worker that has it, and until when without another word. */
  owner?: string
  leaseUntil?: string
}

/** A job in the hands of a worker. */
export type ClaimedJob = HostedJob & { owner: string }
