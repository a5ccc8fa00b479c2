import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../../shared/errors.ts'
import type { JobReport } from '../../../shared/indexing/index-job.ts'
import { libraryKey, printLibraryId, versionKey } from '../../../shared/library.ts'
import { transaction } from '../../../shared/store/database.ts'
import { releaseFiles } from './file-crashes.ts'
import { type Interruptions, interruptions } from './interruptions.ts'
import { type ClaimedJob, type Job, jobColumns, type NewJob, stateWord, toJob, toOrder, unfinishedStates } from './job.ts'
import { dueTimes, goesFirst, isDue, nextCaller, noneWaits, pauses, processMemoryBytes, rank, runOrder } from './run-order.ts'
import type { UnservedLibraries } from './unserved-libraries.ts'

export type JobQueue = Interruptions & {
  /** Throws job_active if another unfinished job writes the same content. */
  enqueue(job: NewJob): { id: number; position: number | null }
  /** Queues jobs in one transaction. For each job, returns its id or the unfinished job that writes the same content. */
  enqueueAll(jobs: NewJob[]): ({ id: number } | { inTheWay: Job })[]
  /**
   * Starts the next due job, or the next due one of `only`, of the caller whose turn it is; a re-index if there is no other. A job that would wait
   * longer than any pause is due too: the clock was set back.
   */
  claim(only?: readonly number[]): ClaimedJob | undefined
  /** The time when the next queued job, or the next one of `only`, can start. */
  nextDue(only?: readonly number[]): Date | undefined
  /** `nextDue` of the jobs that a running re-index makes way for. */
  nextFirst(only?: readonly number[]): Date | undefined
  /** An unfinished parse or import of a library, or of one of its versions. */
  activeOf(key: string): Job | undefined
  /** The unfinished re-index of a library. */
  reindexOf(key: string): Job | undefined
  /** `record` runs in the same transaction. */
  finish(
    id: number,
    end: { state: 'done' | 'failed' | 'cancelled'; error?: string; report?: JobReport },
    record?: () => void,
  ): void
  /** Puts a job back after a failure that a retry may fix, for this `reason`, or when the server stops. `report` holds the results so far. */
  requeue(id: number, why: { dueAt: Date; attemptCounts: boolean; report?: JobReport; reason?: string }): void
  /** Lets each re-index that waits for another attempt start now. Returns false if none waits. */
  hasten(): boolean
}

/** The newest ended jobs that are kept. */
export const maxEndedJobs = 1000

const isOneOf = '(:only IS NULL OR id IN (SELECT value FROM json_each(:only)))'
const idsOf = (only?: readonly number[]) => ({ only: only === undefined ? null : JSON.stringify(only) })
/** Jobs of the library `:key` and of its versions: keys that begin with `:key@` sort before `:keyA`. The range avoids reading every unfinished job. */
const unfinishedJobsOf = `jobs INDEXED BY one_active_job
  WHERE key >= :key AND key < :key || 'A' AND (key = :key OR key > :key || '@') AND state IN ${unfinishedStates} AND ${goesFirst}`

export function jobQueue(db: DatabaseSync, now: () => Date, unserved: Pick<UnservedLibraries, 'changed'>): JobQueue {
  const time = () => now().toISOString()
  const keyOf = (id: number) => String(db.prepare('SELECT key FROM jobs WHERE id = ?').get(id)?.key)
  const findActive = db.prepare(`SELECT ${jobColumns} FROM ${unfinishedJobsOf}`)
  const activeOf = (key: string) => toJob(findActive.get({ key }))
  const findReindex = db.prepare(
    `SELECT ${jobColumns} FROM jobs INDEXED BY one_active_reindex WHERE key = ? AND state IN ${unfinishedStates} AND kind = 'reindex'`,
  )
  const reindexOf = (key: string) => toJob(findReindex.get(key))
  const inTheWayOfImport = db.prepare(
    `SELECT ${jobColumns} FROM jobs WHERE key IN (:key, :library) AND (key = :key OR kind <> 'import') AND state IN ${unfinishedStates} AND ${goesFirst}`,
  )
  /** A re-index is only in the way of another one: it reads what is served when it runs. */
  const inTheWay = ({ library, kind }: NewJob) => {
    const key = libraryKey(library)
    if (kind === 'reindex') return reindexOf(key)
    return kind === 'import' ? toJob(inTheWayOfImport.get({ key: versionKey(library), library: key })) : activeOf(key)
  }
  const insertJob = db.prepare(
    "INSERT INTO jobs (key, project, kind, state, request, created_at, due_at, caller) VALUES (?, ?, ?, 'queued', ?, ?, ?, ?)",
  )
  const insert = ({ library, kind, request, caller }: NewJob) => {
    const values = [versionKey(library), printLibraryId(library), kind, JSON.stringify(request), time(), time(), caller ?? null]
    return Number(insertJob.run(...values).lastInsertRowid)
  }

  const claimed = `SELECT ${jobColumns}, request, attempts, interruptions, texts_embedded, llm_tokens FROM jobs WHERE (${isDue}) AND ${isOneOf}`
  const claimable = db.prepare(
    `${claimed} AND ${goesFirst} AND caller IS (${nextCaller(`${isOneOf} AND ${goesFirst}`)}) ORDER BY due_at, id LIMIT 1`,
  )
  const claimableReindex = db.prepare(
    `${claimed} AND NOT (${goesFirst}) AND ${noneWaits(isOneOf)} ORDER BY status_message IS NULL, ${rank}, due_at, id LIMIT 1`,
  )
  const queued = `FROM jobs WHERE state = 'queued' AND ${isOneOf}`
  const firstDue = db.prepare(`SELECT min(due_at) AS due ${queued} AND ${goesFirst}`)
  /** The others wait for one that waits for another attempt. */
  const reindexDue = db.prepare(
    `SELECT coalesce(min(iif(due_at > :now, due_at, NULL)), min(due_at)) AS due ${queued} AND NOT (${goesFirst})`,
  )

  return {
    ...interruptions(db, now),
    enqueue(job) {
      return transaction(db, () => {
        const active = inTheWay(job)
        if (active) throw alreadyActive(active)
        unserved.changed()
        const id = insert(job)
        const ahead = Number(
          db.prepare(`SELECT position FROM (${runOrder}) WHERE id = :id`).get({ id, ...dueTimes(now()) })?.position,
        )
        return { id, position: ahead === 0 ? null : ahead }
      })
    },
    enqueueAll(jobs) {
      unserved.changed()
      return transaction(db, () =>
        jobs.map((job) => {
          const active = inTheWay(job)
          return active ? { inTheWay: active } : { id: insert(job) }
        }),
      )
    },
    claim(only) {
      return transaction(db, () => {
        const { askedSince, ...times } = dueTimes(now())
        const row = claimable.get({ ...times, ...idsOf(only) }) ?? claimableReindex.get({ ...times, askedSince, ...idsOf(only) })
        const job = toJob(row)
        if (!job || !row) return undefined
        db.prepare(
          "UPDATE jobs SET state = 'parsing', attempts = attempts + 1, started_at = coalesce(started_at, :now), claimed_at = :now, files_done = 0, files_total = 0, snippets = 0, status_message = NULL, memory = :memory WHERE id = :id",
        ).run({ now: time(), memory: processMemoryBytes(), id: job.id })
        return {
          ...job,
          state: 'parsing' as const,
          ...toOrder(row),
          attempts: Number(row.attempts) + 1,
          interruptions: Number(row.interruptions),
          spent: { textsEmbedded: Number(row.texts_embedded), llmTokens: Number(row.llm_tokens) },
        }
      })
    },
    nextDue(only) {
      const first = firstDue.get(idsOf(only))?.due
      const reindex = reindexDue.get({ ...idsOf(only), now: time() })?.due
      return toDate([first, reindex].filter((each) => typeof each === 'string').toSorted()[0])
    },
    nextFirst: (only) => toDate(firstDue.get(idsOf(only))?.due),
    activeOf,
    reindexOf,
    finish(id, { state, error, report }, record) {
      transaction(db, () => {
        record?.()
        db.prepare(
          'UPDATE jobs SET state = ?, error = ?, report = coalesce(?, report), finished_at = ?, status_message = NULL WHERE id = ?',
        ).run(state, error ?? null, report ? JSON.stringify(report) : null, time(), id)
        releaseFiles(db, keyOf(id))
        db.prepare(
          `DELETE FROM jobs WHERE state NOT IN ${unfinishedStates} AND id <=
            (SELECT id FROM jobs WHERE state NOT IN ${unfinishedStates} ORDER BY id DESC LIMIT 1 OFFSET ${maxEndedJobs})`,
        ).run()
      })
      unserved.changed()
    },
    requeue(id, { dueAt, attemptCounts, report, reason }) {
      transaction(db, () => {
        db.prepare(
          "UPDATE jobs SET state = 'queued', due_at = ?, attempts = attempts - ?, report = coalesce(?, report), status_message = ? WHERE id = ?",
        ).run(dueAt.toISOString(), attemptCounts ? 0 : 1, report ? JSON.stringify(report) : null, reason ?? null, id)
        releaseFiles(db, keyOf(id))
      })
    },
    hasten() {
      const waiting = db.prepare(
        `UPDATE jobs SET due_at = :now WHERE state = 'queued' AND due_at > :now AND NOT (${goesFirst}) AND NOT (${pauses})`,
      )
      return Number(waiting.run({ now: time() }).changes) > 0
    },
  }
}

const toDate = (time: unknown): Date | undefined => (typeof time === 'string' ? new Date(time) : undefined)

const alreadyActive = ({ id, project, state }: Job): AppError =>
  new AppError('job_active', `${project} already has a job that is ${stateWord(state)}; wait for it or cancel job ${id}.`, {
    fields: { project, status: state },
  })
