import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../../shared/store/database.ts'

/**
 * Generations that are newer than the backup that this database was restored from: it never reserved them, or they are `finished` but the
 * job that reserved them is not.
 */
export type LaterGenerations = {
  /** Sets such generations aside and skips the numbers of their jobs. Returns those that were not set aside before. */
  setAside(stored: string[], finished: string[]): string[]
  list(): { name: string; foundAt: Date }[]
  /** Lets the sweep delete them. */
  release(): void
}

const setAsideDays = 30
const setAsideMs = setAsideDays * 24 * 60 * 60_000

/** Selects the names that the sweep still keeps; `:setAsideSince` is a time in ISO 8601. */
export const setAsideGenerations = 'SELECT name FROM later_generations WHERE found_at > :setAsideSince'
export const setAsideSince = (now: Date): string => new Date(now.getTime() - setAsideMs).toISOString()

export function laterGenerations(db: DatabaseSync, now: () => Date): LaterGenerations {
  const lastJob = () => Number(db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'jobs'").get()?.seq ?? 0)
  return {
    setAside: (stored, finished) =>
      transaction(db, () => {
        const lastJobId = lastJob()
        // A job reserves a generation before it writes the table, and the row outlives the table.
        const listed = db.prepare(
          'SELECT 1 FROM generations WHERE name = :name UNION ALL SELECT 1 FROM later_generations WHERE name = :name',
        )
        // A job publishes a finished table immediately, unless the server dies in between.
        const unpublished = db.prepare(`
          SELECT 1 FROM generations g JOIN jobs j ON j.id = g.job WHERE g.name = :name AND j.state IN ('queued', 'parsing', 'finalizing')
            AND NOT EXISTS (SELECT 1 FROM later_generations l WHERE l.name = :name)`)
        const later = [
          ...stored.filter((name) => jobOf(name) > 0 && !listed.get({ name })),
          ...finished.filter((name) => unpublished.get({ name })),
        ]
        if (later.length === 0) return []
        const insert = db.prepare('INSERT INTO later_generations (name, found_at) VALUES (?, ?)')
        for (const name of later) insert.run(name, now().toISOString())
        const last = Math.max(lastJobId, ...later.map(jobOf))
        db.prepare("DELETE FROM sqlite_sequence WHERE name = 'jobs'").run()
        db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('jobs', ?)").run(last)
        return later
      }),
    list: () =>
      db
        .prepare("SELECT name, found_at FROM later_generations WHERE found_at <> '' ORDER BY name")
        .all()
        .map((row) => ({ name: String(row.name), foundAt: new Date(String(row.found_at)) })),
    // The rows stay until the tables are dropped, or the next start would set them aside again.
    release: () => db.exec("UPDATE later_generations SET found_at = ''"),
  }
}

/** Generations are named `g<job>-<hex>`. */
const jobOf = (name: string): number => Number(/^g(\d{1,15})-/.exec(name)?.[1] ?? 0)

export const laterWarning = ({ length }: { length: number }): string =>
  `${length} tables of content are newer than the database, so an older database was probably restored. They are kept for ${setAsideDays} days: restore the newer carrel.db to serve them, or delete them with "carrel content remove".`
