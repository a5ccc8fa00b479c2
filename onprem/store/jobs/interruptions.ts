import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../../shared/store/database.ts'
import { blameFiles } from './file-crashes.ts'
import { type InterruptedJob, unfinishedStates } from './job.ts'
import { interruptionPauseMs, interruptionReason, pauses, processMemoryBytes, toleratedInterruptions } from './run-order.ts'

/** Jobs whose process was killed while they ran. */
export type Interruptions = {
  /** The server stops. If it is killed before the running job ends, that is not an interruption. */
  stopping(id: number): void
  /**
   * After a crash: queues the interrupted jobs again and records a crash for each file that was being read. A job that was interrupted
   * repeatedly pauses, unless this process has more memory than the last one. Returns the number of interrupted jobs.
   */
  recover(): number
  /** Unfinished jobs that were interrupted so often that they pause, or paused before they were started again. */
  interrupted(): InterruptedJob[]
}

export function interruptions(db: DatabaseSync, now: () => Date): Interruptions {
  const timeIn = (ms: number) => new Date(now().getTime() + ms).toISOString()
  return {
    stopping: (id) => void db.prepare('UPDATE jobs SET memory = NULL WHERE id = ?').run(id),
    recover() {
      return transaction(db, () => {
        blameFiles(db)
        const interrupted = db
          .prepare(
            "UPDATE jobs SET state = 'queued', interruptions = interruptions + (memory IS NOT NULL), attempts = 0, due_at = created_at, status_message = NULL WHERE state IN ('parsing', 'finalizing') RETURNING id, interruptions",
          )
          .all()
        const pause = db.prepare('UPDATE jobs SET due_at = ?, status_message = ? WHERE id = ?')
        for (const { id, interruptions } of interrupted) {
          const times = Number(interruptions)
          if (times >= toleratedInterruptions)
            pause.run(timeIn(interruptionPauseMs(times)), interruptionReason(times), Number(id))
        }
        db.prepare(
          `UPDATE jobs SET interruptions = 0, due_at = created_at, status_message = NULL WHERE state = 'queued' AND ${pauses} AND memory * 1.05 < ?`,
        ).run(processMemoryBytes())
        return interrupted.length
      })
    },
    interrupted() {
      const rows = db.prepare(
        `SELECT id, project, interruptions, iif(state = 'queued', due_at, NULL) AS dueAt FROM jobs WHERE state IN ${unfinishedStates} AND ${pauses} ORDER BY id`,
      )
      return rows.all().map((row) => ({ ...row }) as InterruptedJob)
    },
  }
}
