import type { JobReport, JobRequest } from '../../shared/indexing/index-job.ts'
import type { StoredVersion } from '../../shared/indexing/indexing-catalog.ts'

export const jobStates = ['queued', 'parsing', 'finalizing', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

export type HeldVersion = Pick<StoredVersion, 'version' | 'generation'>

/** An element of a bundle whose snippets wait on disk. */
export type ImportRequest = {
  /** Name of what waits. */
  staged: string
  /** Where it comes from, as a sentence for the log of the job. */
  origin: string
  /** Versions that go when this import is served, unless they serve something else by then. */
  removes?: HeldVersion[]
}

/** A re-index knows all else from the library. */
export type ReindexRequest = {
  /** Content in the current format keeps the vectors that it has, or that it has none. */
  keepVectors?: boolean
}

/** What a job is asked, by its kind. */
export type JobOrder =
  | { kind: 'parse'; request: JobRequest }
  | { kind: 'import'; request: ImportRequest }
  | { kind: 'reindex'; request: ReindexRequest }

export type Job = {
  id: number
  project: string
  kind: JobOrder['kind']
  state: JobState
  filesDone: number
  filesTotal: number
  snippets: number
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  error: string | null
  report: JobReport | null
}

export type JobLogLine = { at: string; line: string }
