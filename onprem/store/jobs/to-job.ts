import type { JobReport } from '../../../shared/indexing/index-job.ts'
import type { Job, JobOrder, JobState } from './job.ts'

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
