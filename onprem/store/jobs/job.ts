import type { JobReport, JobRequest, Spent } from '../../../shared/indexing/index-job.ts'
import type { StoredVersion } from '../../../shared/indexing/indexing-catalog.ts'
import type { LibraryId } from '../../../shared/library.ts'

export const jobStates = ['queued', 'parsing', 'finalizing', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

export type ServedGeneration = Pick<StoredVersion, 'version' | 'generation'>

/** An element of a bundle whose snippets are staged on disk. */
export type ImportRequest = {
  /** Name of the staged element in the import folder. */
  staged: string
  /** The source of the snippets, as a sentence for the log of the job. */
  origin: string
  /** Versions to remove when this import is published, unless they serve another generation by then. */
  removes?: ServedGeneration[]
}

/** A re-index reads everything else from the library. */
export type ReindexRequest = {
  /** Content in the current format keeps its vectors, or stays without. */
  keepVectors?: boolean
}

/** The request of a job, by kind. */
export type JobOrder =
  | { kind: 'parse'; request: JobRequest }
  | { kind: 'import'; request: ImportRequest }
  | { kind: 'reindex'; request: ReindexRequest }

/** An import with a pinned version writes that version; any other job writes a whole library. */
export type NewJob = {
  library: LibraryId
  /** The caller who queues it, for the turns of the queue; undefined for the server itself. */
  caller?: string
} & JobOrder

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

/** A job that the worker is running. */
export type ClaimedJob = Omit<Job, 'kind'> &
  JobOrder & {
    /** Runs since the job was queued or last interrupted, including this one. */
    attempts: number
    interruptions: number
    spent: Spent
  }

export type ActiveJob = Job & {
  position: number
  /** The current step of the job, or the reason of its last failure if it waits for another run. */
  statusMessage: string | null
  dueAt: string
}

/** `dueAt` is when it runs again; null if it is running. */
export type InterruptedJob = Pick<Job, 'id' | 'project'> & { interruptions: number; dueAt: string | null }

export type JobLogLine = { at: string; line: string }

/** True if an anonymous caller queued a job, so its repository was public. */
export function isOfAnonymous(orders: { order(id: number): NewJob | undefined }, { id }: Pick<Job, 'id'>): boolean {
  const order = orders.order(id)
  return order?.kind === 'parse' && order.request.anonymous
}
