import { createHash } from 'node:crypto'
import type { JobReport, JobRequest, Spent } from '../../../shared/indexing/index-job.ts'
import type { ServedGeneration } from '../../../shared/indexing/indexing-catalog.ts'
import type { LibraryId } from '../../../shared/library.ts'

export const jobKinds = ['parse', 'import', 'reindex'] as const

export const jobStates = ['queued', 'parsing', 'finalizing', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

/** A state as sentences name it, for every kind of job. */
export const stateWord = (state: JobState): string => (state === 'parsing' ? 'running' : state)

/** An element of a bundle whose snippets are staged on disk. */
type ImportRequest = {
  /** Name of the staged element in the import folder. */
  staged: string
  /** The source of the snippets, as a sentence for the log of the job. */
  origin: string
  /** Versions to remove when this import is published, unless they serve another generation by then. */
  removes?: ServedGeneration[]
}

/** A re-index reads everything else from the library. */
type ReindexRequest = {
  /** Content in the current format keeps its vectors, or stays without. */
  keepVectors?: boolean
}

/** The request of a job, by kind. */
type JobOrder =
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
  /** For a re-index that waits until another one has made its next attempt. */
  waitsFor?: FailedAttempt
}

/** The re-index whose last attempt failed. `reason` is null for callers who do not see its library. */
export type FailedAttempt = { id: number; reason: string | null; dueAt: string }

/** `dueAt` is when it runs again; null if it is running. */
export type InterruptedJob = Pick<Job, 'id' | 'project'> & { interruptions: number; dueAt: string | null }

export type JobLogLine = { at: string; line: string }

/** The generation that a job copies the content of another one to. */
export const copyOf = (job: number, generation: string): string =>
  `g${job}-${createHash('sha256').update(generation).digest('hex').slice(0, 12)}`

/** True if an anonymous caller queued a job, so its repository was public. */
export function isOfAnonymous(orders: { order(id: number): NewJob | undefined }, { id }: Pick<Job, 'id'>): boolean {
  const order = orders.order(id)
  return order?.kind === 'parse' && order.request.anonymous
}

export const unfinishedStates = "('queued', 'parsing', 'finalizing')"

export const jobColumns = `id, project, kind, state, files_done AS filesDone, files_total AS filesTotal, snippets, created_at AS createdAt,
  started_at AS startedAt, finished_at AS finishedAt, error, report`

type Row = Record<string, unknown>

/** Reads a row of `jobColumns`. */
export function toJob(row: Row | undefined): Job | undefined {
  if (!row) return undefined
  return {
    id: Number(row.id),
    project: String(row.project),
    kind: row.kind as Job['kind'],
    state: row.state as JobState,
    filesDone: Number(row.filesDone),
    filesTotal: Number(row.filesTotal),
    snippets: Number(row.snippets),
    createdAt: String(row.createdAt),
    startedAt: row.startedAt === null ? null : String(row.startedAt),
    finishedAt: row.finishedAt === null ? null : String(row.finishedAt),
    error: row.error === null ? null : String(row.error),
    report: row.report === null ? null : (JSON.parse(String(row.report)) as JobReport),
  }
}

export const toOrder = ({ kind, request }: Row) => ({ kind, request: JSON.parse(String(request)) }) as JobOrder
