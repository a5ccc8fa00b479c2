import type { DatabaseSync } from 'node:sqlite'
import { type LibraryId, libraryKey, parseLibraryId, versionKey } from '../../../shared/library.ts'
import { transaction } from '../../../shared/store/database.ts'
import {
  type ActiveJob,
  type FailedAttempt,
  type Job,
  type JobState,
  jobColumns,
  type NewJob,
  toJob,
  toOrder,
  unfinishedStates,
} from './job.ts'
import { type JobQueue, jobQueue } from './job-queue.ts'
import { dueTimes, runOrder, stopsOthers } from './run-order.ts'
import { type RunRecords, runRecords } from './run-records.ts'
import { type StagedImports, stagedImports } from './staged-imports.ts'
import { type UnservedLibraries, unservedLibraries } from './unserved-libraries.ts'

export type JobStore = JobQueue &
  RunRecords &
  StagedImports & {
    get(id: number): Job | undefined
    /** The request of a job. */
    order(id: number): NewJob | undefined
    /** Newest first, or with `isInOrder` the unfinished jobs in the order in which they run, then the others. */
    list(page: number, pageSize: number, filter?: JobFilter, sees?: SeesJob): { jobs: Job[]; total: number }
    /** The number of unfinished jobs, and the time of the last failure. Ignores jobs of deleted libraries. */
    summary(sees?: SeesJob): { unfinished: number; lastFailedAt: string | null }
    /** The newest job with a report of a library or its versions. */
    lastReportOf(key: string): number | undefined
    /** When a job last read or imported a library or a version of it; undefined if none is known. */
    lastReadOf(key: string): string | undefined
    /** The number of unfinished jobs that a caller has queued. */
    unfinishedOf(caller: string): number
    /** Unfinished jobs, in the order in which they run. */
    active(): ActiveJob[]
    /** Those of these jobs that are unfinished, by id. */
    activity(ids: readonly number[]): Map<number, JobActivity>
    /** Libraries without content whose first parse or import is unfinished or has failed. */
    unserved: Pick<UnservedLibraries, 'list' | 'find'>
    /** Drops the failed jobs of a deleted library from the list of unserved libraries. */
    dismiss(key: string): void
  }

/** True for the jobs of a library that somebody may see. `id` is one of its jobs. */
type SeesJob = (job: Pick<Job, 'id' | 'project'>) => boolean

type JobActivity = Pick<ActiveJob, 'position' | 'statusMessage' | 'dueAt' | 'waitsFor'>

/** `project` includes the versions of a library, unless it pins one. `q` is a part of the library id. */
export type JobFilter = {
  project?: LibraryId | undefined
  q?: string | undefined
  states?: readonly JobState[] | undefined
  kinds?: readonly Job['kind'][] | undefined
  isInOrder?: boolean | undefined
}

const isShown = '(:hidden IS NULL OR library NOT IN (SELECT value FROM json_each(:hidden)))'
const matches = `(:library IS NULL OR library = :library) AND (:key IS NULL OR key = :key) AND (:q IS NULL OR instr(lower(project), :q) > 0)
  AND (:states IS NULL OR state IN (SELECT value FROM json_each(:states))) AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))
  AND ${isShown}`

const hasRead = "state = 'done' AND kind <> 'reindex'"

const summary = `SELECT (SELECT count(*) FROM jobs WHERE state IN ${unfinishedStates} AND ${isShown}) AS unfinished,
  (SELECT max(finished_at) FROM jobs WHERE state = 'failed' AND dismissed = 0 AND ${isShown}) AS lastFailedAt`

export function sqliteJobs(db: DatabaseSync, now: () => Date): JobStore {
  const unserved = unservedLibraries(db)
  const times = () => dueTimes(now())
  const byId = db.prepare(`SELECT ${jobColumns} FROM jobs WHERE id = ?`)
  const activityOf = db.prepare(`
    SELECT id, kind, state, status_message AS statusMessage, due_at AS dueAt, position FROM jobs JOIN (${runOrder}) USING (id)
    WHERE id IN (SELECT value FROM json_each(:ids))`)
  const failedAttempt = db.prepare(
    `SELECT id, status_message AS reason, due_at AS dueAt FROM jobs WHERE ${stopsOthers} ORDER BY due_at LIMIT 1`,
  )
  /** Returns what a queued re-index waits for, unless an attempt of its own failed. */
  const waitsFor = () => {
    const { askedSince, ...due } = times()
    const failed = failedAttempt.get(due) as FailedAttempt | undefined
    return ({ kind, state, statusMessage }: Record<string, unknown>): Pick<ActiveJob, 'waitsFor'> =>
      failed && kind === 'reindex' && state === 'queued' && statusMessage === null ? { waitsFor: { ...failed } } : {}
  }
  const lastReport = db.prepare('SELECT id FROM jobs WHERE library = ? AND report IS NOT NULL ORDER BY id DESC LIMIT 1')
  const lastRead = db.prepare(`SELECT max(finished_at) AS at FROM jobs WHERE library = ? AND ${hasRead}`)
  const libraries = db.prepare('SELECT library AS project, max(id) AS id FROM jobs WHERE library IS NOT NULL GROUP BY library')
  const hiddenFrom = (sees: SeesJob | undefined): string | null =>
    sees
      ? JSON.stringify(
          (libraries.all() as { project: string; id: number }[]).filter((each) => !sees(each)).map(({ project }) => project),
        )
      : null
  const ofCaller = db.prepare(`SELECT count(*) AS jobs FROM jobs WHERE state IN ${unfinishedStates} AND caller = ?`)
  return {
    ...jobQueue(db, now, unserved),
    ...runRecords(db, now),
    ...stagedImports(db, now),
    get: (id) => toJob(byId.get(id)),
    lastReportOf: (key) => lastReport.get(key)?.id as number | undefined,
    lastReadOf: (key) => (lastRead.get(key)?.at ?? undefined) as string | undefined,
    unfinishedOf: (caller) => Number(ofCaller.get(caller)?.jobs),
    order(id) {
      const row = db.prepare('SELECT project, kind, request FROM jobs WHERE id = ?').get(id)
      return row && { library: parseLibraryId(String(row.project)), ...toOrder(row) }
    },
    list(page, pageSize, { project, q, states, kinds, isInOrder } = {}, sees) {
      const filter = {
        library: project ? libraryKey(project) : null,
        key: project?.version === undefined ? null : versionKey(project),
        q: q?.toLowerCase() ?? null,
        states: states ? JSON.stringify(states) : null,
        kinds: kinds ? JSON.stringify(kinds) : null,
        hidden: hiddenFrom(sees),
      }
      const rows = db
        .prepare(
          isInOrder
            ? `SELECT ${jobColumns} FROM jobs LEFT JOIN (${runOrder}) USING (id) WHERE ${matches} ORDER BY position IS NULL, position, id DESC LIMIT :limit OFFSET :offset`
            : `SELECT ${jobColumns} FROM jobs WHERE ${matches} ORDER BY id DESC LIMIT :limit OFFSET :offset`,
        )
        .all({ ...filter, ...(isInOrder && times()), limit: pageSize, offset: (page - 1) * pageSize })
      return {
        jobs: rows.flatMap((row) => toJob(row) ?? []),
        total: Number(db.prepare(`SELECT count(*) AS jobs FROM jobs WHERE ${matches}`).get(filter)?.jobs),
      }
    },
    summary(sees) {
      const { unfinished, lastFailedAt } = { ...db.prepare(summary).get({ hidden: hiddenFrom(sees) }) }
      return { unfinished: Number(unfinished), lastFailedAt: typeof lastFailedAt === 'string' ? lastFailedAt : null }
    },
    active() {
      const rows = db
        .prepare(
          `SELECT ${jobColumns}, status_message AS statusMessage, due_at AS dueAt FROM jobs JOIN (${runOrder}) USING (id) ORDER BY position`,
        )
        .all(times())
      const waits = waitsFor()
      return rows.flatMap((row, position) => {
        const job = toJob(row)
        const statusMessage = row.statusMessage === null ? null : String(row.statusMessage)
        return job ? [{ ...job, position, statusMessage, dueAt: String(row.dueAt), ...waits(row) }] : []
      })
    },
    activity(ids) {
      const activityById = new Map<number, JobActivity>()
      if (ids.length === 0) return activityById
      const waits = waitsFor()
      for (const row of activityOf.all({ ...times(), ids: JSON.stringify(ids) }))
        activityById.set(Number(row.id), {
          position: Number(row.position),
          statusMessage: row.statusMessage === null ? null : String(row.statusMessage),
          dueAt: String(row.dueAt),
          ...waits(row),
        })
      return activityById
    },
    unserved,
    dismiss(key) {
      transaction(db, () =>
        db.prepare(`UPDATE jobs SET dismissed = 1 WHERE library = ? AND state NOT IN ${unfinishedStates}`).run(key),
      )
      unserved.changed()
    },
  }
}
