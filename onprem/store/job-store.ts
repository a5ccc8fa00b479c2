import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../shared/errors.ts'
import type { JobReport, Spent } from '../../shared/indexing/index-job.ts'
import { transaction } from '../../shared/store/database.ts'
import { blameFiles, type HandedFiles, handedFiles, releaseFiles } from '../jobs/handed-files.ts'
import { type UnservedLibraries, unservedLibraries } from '../jobs/unserved-libraries.ts'
import type { Job, JobLogLine, JobOrder, JobState } from './job.ts'

/** A job in the hands of the worker. */
export type ClaimedJob = Omit<Job, 'kind'> &
  JobOrder & {
    /** Runs that began, this one included, since it was queued or last interrupted. */
    attempts: number
    interruptions: number
    spent: Spent
  }

export type ActiveJob = Job & { position: number; statusMessage: string | null }

/**
 * `key` is the library's, with `@version` for an import of one. What an import writes is one version; any other job writes a whole library.
 */
export type NewJob = { key: string; project: string } & JobOrder

export type JobStore = {
  /** Throws job_active where another unfinished job writes the same. */
  enqueue(job: NewJob): { id: number; position: number | null }
  /** In one transaction. Each is queued, or answered with the job that writes the same. */
  enqueueAll(jobs: NewJob[]): ({ id: number } | { inTheWay: Job })[]
  /** The oldest job that is due, now being worked on; one that would wait longer than any pause is due, since the clock went back. */
  claim(): ClaimedJob | undefined
  /** When the next queued job is due. */
  nextDue(): Date | undefined
  get(id: number): Job | undefined
  order(id: number): ({ key: string } & JobOrder) | undefined
  log(id: number): JobLogLine[]
  list(page: number, pageSize: number): { jobs: Job[]; total: number }
  active(): ActiveJob[]
  /** An unfinished job of a library, or of one of its versions. */
  activeOf(key: string): Job | undefined
  /** Libraries without content whose first parse or import is unfinished or has failed. */
  unserved: Pick<UnservedLibraries, 'list' | 'find'>
  /** A library was deleted: its failed jobs no longer keep it in the list of unserved libraries. */
  dismiss(key: string): void
  /** What belongs to imports that are unfinished, or may be retried: that failed or were cancelled of late, and nothing was imported or parsed in their place since. */
  stagedImports(): Set<string>
  /** What ended imports have left of a library, with its versions, or of the version that the key names. */
  stagedOf(key: string): string[]
  say(id: number, line: string): void
  progress(id: number, done: { filesDone: number; filesTotal: number; snippets: number; statusMessage: string }): void
  /** The sums of all attempts. */
  spent(id: number, figures: Partial<Spent>): void
  finalizing(id: number): void
  finish(id: number, end: { state: 'done' | 'failed' | 'cancelled'; error?: string; report?: JobReport }): void
  /** Back into the queue, for a failure that may pass by itself or a server that stops; `report` tells what is done already. */
  requeue(id: number, why: { dueAt: Date; attemptCounts: boolean; report?: JobReport }): void
  /** After a crash: what was being worked on is queued again, and what was in a reader's hands is held against it. Answers how many jobs. */
  recover(): number
  /** The book of a job's reading; `version` is '' for the default content. What it holds against files outlives the job. */
  files(id: number, version: string): HandedFiles
}

/** The longest pause between two attempts: where a host asks for more, it is asked again all the same. */
export const maxPauseMs = 60_000

/** So many ended jobs are kept, the newest ones. */
export const keptJobs = 1000

/** What a run that failed has taken in, and has paid for, waits so long for the next run. */
export const retryableMs = 7 * 24 * 60 * 60_000

const active = "('queued', 'parsing', 'finalizing')"
const columns = `id, project, kind, state, files_done AS filesDone, files_total AS filesTotal, snippets, created_at AS createdAt,
  started_at AS startedAt, finished_at AS finishedAt, error, report`
/** A job whose first moment or pause was written by a clock that was ahead does not wait for it; a little more than the longest pause. */
const maxWaitMs = maxPauseMs + 5_000
const isDue = "state = 'queued' AND (due_at <= :now OR due_at > :latest)"
/** Of the library `:key`, with its versions: what begins with `:key@` comes before `:keyA`. All unfinished jobs are not read for it. */
const unfinishedJobsOf = `jobs INDEXED BY one_active_job
  WHERE key >= :key AND key < :key || 'A' AND (key = :key OR key > :key || '@') AND state IN ${active}`
const maxLogLines = 1000
const maxLineChars = 1000

export function sqliteJobs(db: DatabaseSync, now: () => Date): JobStore {
  const time = () => now().toISOString()
  const dueTimes = () => ({ now: time(), latest: new Date(now().getTime() + maxWaitMs).toISOString() })
  const update = (id: number, set: string, ...values: (string | number | null)[]) =>
    db.prepare(`UPDATE jobs SET ${set} WHERE id = ?`).run(...values, id)
  const unserved = unservedLibraries(db)
  const insertLog = db.prepare('INSERT INTO job_log (job, at, line) VALUES (?, ?, ?)')
  const countLog = db.prepare('SELECT count(*) AS lines FROM job_log WHERE job = ?')
  const keyOf = (id: number) => String(db.prepare('SELECT key FROM jobs WHERE id = ?').get(id)?.key)
  const activeOf = (key: string) => toJob(db.prepare(`SELECT ${columns} FROM ${unfinishedJobsOf}`).get({ key }))
  const inTheWayOfImport = db.prepare(
    `SELECT ${columns} FROM jobs WHERE key IN (:key, :library) AND (key = :key OR kind <> 'import') AND state IN ${active}`,
  )
  const inTheWay = ({ key, kind }: NewJob) => {
    if (kind !== 'import') return activeOf(key)
    return toJob(inTheWayOfImport.get({ key, library: key.replace(/^(\/[^/]+\/[^/@]+)@.*$/s, '$1') }))
  }
  const insertJob = db.prepare(
    "INSERT INTO jobs (key, project, kind, state, request, created_at, due_at) VALUES (?, ?, ?, 'queued', ?, ?, ?)",
  )
  const insert = ({ key, project, kind, request }: NewJob) =>
    Number(insertJob.run(key, project, kind, JSON.stringify(request), time(), time()).lastInsertRowid)

  return {
    enqueue(job) {
      return transaction(db, () => {
        const already = inTheWay(job)
        if (already) {
          throw new AppError(
            'job_active',
            `${already.project} already has a job that is ${already.state}; wait for it or cancel job ${already.id}.`,
            {
              fields: { project: already.project, status: already.state },
            },
          )
        }
        const before = `SELECT count(*) AS jobs FROM jobs WHERE state IN ('parsing', 'finalizing') OR (${isDue})`
        const ahead = Number(db.prepare(before).get(dueTimes())?.jobs)
        unserved.changed()
        return { id: insert(job), position: ahead === 0 ? null : ahead }
      })
    },
    enqueueAll(asked) {
      unserved.changed()
      return transaction(db, () =>
        asked.map((job) => {
          const already = inTheWay(job)
          return already ? { inTheWay: already } : { id: insert(job) }
        }),
      )
    },
    claim() {
      return transaction(db, () => {
        const row = db
          .prepare(
            `SELECT ${columns}, request, attempts, interruptions, texts_embedded, llm_tokens FROM jobs WHERE ${isDue} ORDER BY due_at, id LIMIT 1`,
          )
          .get(dueTimes())
        const job = toJob(row)
        if (!job || !row) return undefined
        update(
          job.id,
          "state = 'parsing', attempts = attempts + 1, started_at = coalesce(started_at, ?), files_done = 0, files_total = 0, snippets = 0",
          time(),
        )
        return {
          ...job,
          state: 'parsing' as const,
          ...orderOf(row),
          attempts: Number(row.attempts) + 1,
          interruptions: Number(row.interruptions),
          spent: { textsEmbedded: Number(row.texts_embedded), llmTokens: Number(row.llm_tokens) },
        }
      })
    },
    nextDue() {
      const due = db.prepare("SELECT min(due_at) AS due FROM jobs WHERE state = 'queued'").get()?.due
      return typeof due === 'string' ? new Date(due) : undefined
    },
    get: (id) => toJob(db.prepare(`SELECT ${columns} FROM jobs WHERE id = ?`).get(id)),
    order(id) {
      const row = db.prepare('SELECT key, kind, request FROM jobs WHERE id = ?').get(id)
      return row && { key: String(row.key), ...orderOf(row) }
    },
    log: (id) =>
      db
        .prepare('SELECT at, line FROM job_log WHERE job = ? ORDER BY rowid')
        .all(id)
        .map((row) => ({ ...row }) as JobLogLine),
    list(page, pageSize) {
      const jobs = db
        .prepare(`SELECT ${columns} FROM jobs ORDER BY id DESC LIMIT ? OFFSET ?`)
        .all(pageSize, (page - 1) * pageSize)
      return {
        jobs: jobs.flatMap((row) => toJob(row) ?? []),
        total: Number(db.prepare('SELECT count(*) AS jobs FROM jobs').get()?.jobs),
      }
    },
    active() {
      const rows = db
        .prepare(
          `SELECT ${columns}, status_message AS statusMessage FROM jobs WHERE state IN ${active} ORDER BY state = 'queued', due_at, id`,
        )
        .all()
      return rows.flatMap((row, position) => {
        const job = toJob(row)
        return job ? [{ ...job, position, statusMessage: row.statusMessage === null ? null : String(row.statusMessage) }] : []
      })
    },
    activeOf,
    unserved,
    dismiss(key) {
      transaction(db, () => db.prepare(`UPDATE jobs SET dismissed = 1 WHERE library = ? AND state NOT IN ${active}`).run(key))
      unserved.changed()
    },
    stagedImports() {
      const rows = db
        .prepare(
          `SELECT json_extract(request, '$.staged') AS staged FROM jobs j WHERE kind = 'import' AND (state IN ${active} OR
            state IN ('failed', 'cancelled') AND finished_at > ? AND NOT EXISTS
              (SELECT 1 FROM jobs later WHERE later.key = j.key AND later.kind <> 'reindex' AND later.state = 'done' AND later.id > j.id))`,
        )
        .all(new Date(now().getTime() - retryableMs).toISOString())
      return new Set(rows.map(({ staged }) => String(staged)))
    },
    stagedOf: (key) =>
      db
        .prepare(
          `SELECT json_extract(request, '$.staged') AS staged FROM jobs WHERE kind = 'import' AND state NOT IN ${active}
            AND (key = :key OR substr(key, 1, length(:key) + 1) = :key || '@')`,
        )
        .all({ key })
        .map(({ staged }) => String(staged)),
    say(id, line) {
      const lines = Number(countLog.get(id)?.lines)
      if (lines < maxLogLines) insertLog.run(id, time(), line.slice(0, maxLineChars))
      else if (lines === maxLogLines) insertLog.run(id, time(), `The log ends here: it has ${maxLogLines} lines.`)
    },
    progress(id, { filesDone, filesTotal, snippets, statusMessage }) {
      update(
        id,
        "state = 'parsing', files_done = ?, files_total = ?, snippets = ?, status_message = ?",
        filesDone,
        filesTotal,
        snippets,
        statusMessage,
      )
    },
    spent(id, { textsEmbedded, llmTokens }) {
      const set = 'texts_embedded = coalesce(?, texts_embedded), llm_tokens = coalesce(?, llm_tokens)'
      update(id, set, textsEmbedded ?? null, llmTokens ?? null)
    },
    finalizing: (id) => void update(id, "state = 'finalizing', status_message = NULL"),
    finish(id, { state, error, report }) {
      transaction(db, () => {
        update(
          id,
          'state = ?, error = ?, report = coalesce(?, report), finished_at = ?, status_message = NULL',
          state,
          error ?? null,
          report ? JSON.stringify(report) : null,
          time(),
        )
        releaseFiles(db, keyOf(id))
        db.prepare(
          `DELETE FROM jobs WHERE state NOT IN ${active} AND id <=
            (SELECT id FROM jobs WHERE state NOT IN ${active} ORDER BY id DESC LIMIT 1 OFFSET ${keptJobs})`,
        ).run()
      })
      unserved.changed()
    },
    requeue(id, { dueAt, attemptCounts, report }) {
      transaction(db, () => {
        update(
          id,
          "state = 'queued', due_at = ?, attempts = attempts - ?, report = coalesce(?, report)",
          dueAt.toISOString(),
          attemptCounts ? 0 : 1,
          report ? JSON.stringify(report) : null,
        )
        releaseFiles(db, keyOf(id))
      })
    },
    recover() {
      return transaction(db, () => {
        blameFiles(db)
        return Number(
          db
            .prepare(
              "UPDATE jobs SET state = 'queued', interruptions = interruptions + 1, attempts = 0, due_at = created_at WHERE state IN ('parsing', 'finalizing')",
            )
            .run().changes,
        )
      })
    },
    files: (id, version) => handedFiles(db, keyOf(id), version),
  }
}

const orderOf = ({ kind, request }: Record<string, unknown>) => ({ kind, request: JSON.parse(String(request)) }) as JobOrder

function toJob(row: Record<string, unknown> | undefined): Job | undefined {
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
