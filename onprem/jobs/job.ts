import type { JobReport } from '../../shared/parse/parse-job.ts'

export const jobStates = ['queued', 'parsing', 'finalizing', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

export type Job = {
  id: number
  project: string
  kind: 'parse' | 'import' | 'reindex'
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
