import type { DatabaseSync } from 'node:sqlite'
import type { Spent } from '../../../shared/indexing/index-job.ts'
import { type FileCrashes, fileCrashes } from './file-crashes.ts'
import type { JobLogLine } from './job.ts'

/** The records of a running job. */
export type RunRecords = {
  /** The newest lines of a log, as many as a job writes. */
  log(id: number): JobLogLine[]
  /** A page of a log: up to `maxLogPage` lines after the first `after` ones. */
  logPage(id: number, after: number): { lines: JobLogLine[]; total: number }
  /** The number of log lines of each of these jobs. */
  logLines(ids: readonly number[]): Map<number, number>
  addLogLine(id: number, line: string): void
  progress(id: number, done: { filesDone: number; filesTotal: number; snippets: number; statusMessage: string }): void
  /** Stores the sums of all attempts. */
  spent(id: number, figures: Partial<Spent>): void
  finalizing(id: number): void
  /** The files of a job that are being read. `version` is '' for the default content. Crash records outlive the job. */
  files(id: number, version: string): FileCrashes
}

export const maxLogLines = 1000
const maxLineChars = 1000
export const maxLogPage = 1000

export function runRecords(db: DatabaseSync, now: () => Date): RunRecords {
  const insertLine = db.prepare('INSERT INTO job_log (job, at, line) VALUES (?, ?, ?)')
  const countLines = db.prepare('SELECT count(*) AS lines FROM job_log WHERE job = ?')
  const update = (id: number, set: string, ...values: (string | number | null)[]) =>
    db.prepare(`UPDATE jobs SET ${set} WHERE id = ?`).run(...values, id)
  const newestLines = db.prepare('SELECT at, line FROM job_log WHERE job = ? ORDER BY rowid DESC LIMIT ?')
  const linesAfter = db.prepare('SELECT at, line FROM job_log WHERE job = ? ORDER BY rowid LIMIT ? OFFSET ?')
  const countsOf = db.prepare(
    'SELECT job, count(*) AS lines FROM job_log WHERE job IN (SELECT value FROM json_each(?)) GROUP BY job',
  )
  const toLines = (rows: Record<string, unknown>[]) => rows.map((row) => ({ ...row }) as JobLogLine)
  return {
    log: (id) => toLines(newestLines.all(id, maxLogLines + 1)).reverse(),
    logPage: (id, after) => ({
      lines: toLines(linesAfter.all(id, maxLogPage, after)),
      total: Number(countLines.get(id)?.lines),
    }),
    logLines: (ids) => new Map(countsOf.all(JSON.stringify(ids)).map(({ job, lines }) => [Number(job), Number(lines)])),
    addLogLine(id, line) {
      const lines = Number(countLines.get(id)?.lines)
      const at = now().toISOString()
      if (lines < maxLogLines) insertLine.run(id, at, line.slice(0, maxLineChars))
      else if (lines === maxLogLines) insertLine.run(id, at, `The log ends here: it has ${maxLogLines} lines.`)
    },
    progress(id, { filesDone, filesTotal, snippets, statusMessage }) {
      const set = "state = 'parsing', files_done = ?, files_total = ?, snippets = ?, status_message = ?"
      update(id, set, filesDone, filesTotal, snippets, statusMessage)
    },
    spent(id, { textsEmbedded, llmTokens }) {
      const set = 'texts_embedded = coalesce(?, texts_embedded), llm_tokens = coalesce(?, llm_tokens)'
      update(id, set, textsEmbedded ?? null, llmTokens ?? null)
    },
    finalizing: (id) => void update(id, "state = 'finalizing'"),
    files: (id, version) => fileCrashes(db, String(db.prepare('SELECT key FROM jobs WHERE id = ?').get(id)?.key), version),
  }
}
