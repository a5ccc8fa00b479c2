import type { DatabaseSync } from 'node:sqlite'
import { parseLibraryId } from '../../shared/library.ts'
import { transaction } from '../../shared/store/database.ts'
import type { ActiveJob, Job, NewJob } from './job.ts'
import { type JobQueue, jobQueue } from './job-queue.ts'
import { type RunRecords, runRecords } from './run-records.ts'
import { type StagedImports, stagedImports } from './staged-imports.ts'
import { jobColumns, toJob, toOrder, unfinishedStates } from './to-job.ts'
import { type UnservedLibraries, unservedLibraries } from './unserved-libraries.ts'

export type JobStore = JobQueue &
  RunRecords &
  StagedImports & {
    get(id: number): Job | undefined
    /** The request of a job. Throws invalid_library_id if an earlier release queued an invalid id. */
    order(id: number): NewJob | undefined
    list(page: number, pageSize: number): { jobs: Job[]; total: number }
    active(): ActiveJob[]
    /** Libraries without content whose first parse or import is unfinished or has failed. */
    unserved: Pick<UnservedLibraries, 'list' | 'find'>
    /** Drops the failed jobs of a deleted library from the list of unserved libraries. */
    dismiss(key: string): void
  }

export function sqliteJobs(db: DatabaseSync, now: () => Date): JobStore {
  const unserved = unservedLibraries(db)
  return {
    ...jobQueue(db, now, unserved),
    ...runRecords(db, now),
    ...stagedImports(db, now),
    get: (id) => toJob(db.prepare(`SELECT ${jobColumns} FROM jobs WHERE id = ?`).get(id)),
    order(id) {
      const row = db.prepare('SELECT project, kind, request FROM jobs WHERE id = ?').get(id)
      return row && { library: parseLibraryId(String(row.project)), ...toOrder(row) }
    },
    list(page, pageSize) {
      const rows = db
        .prepare(`SELECT ${jobColumns} FROM jobs ORDER BY id DESC LIMIT ? OFFSET ?`)
        .all(pageSize, (page - 1) * pageSize)
      return {
        jobs: rows.flatMap((row) => toJob(row) ?? []),
        total: Number(db.prepare('SELECT count(*) AS jobs FROM jobs').get()?.jobs),
      }
    },
    active() {
      const rows = db
        .prepare(
          `SELECT ${jobColumns}, status_message AS statusMessage, due_at AS dueAt FROM jobs WHERE state IN ${unfinishedStates} ORDER BY state = 'queued', due_at, id`,
        )
        .all()
      return rows.flatMap((row, position) => {
        const job = toJob(row)
        const statusMessage = row.statusMessage === null ? null : String(row.statusMessage)
        return job ? [{ ...job, position, statusMessage, dueAt: String(row.dueAt) }] : []
      })
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
