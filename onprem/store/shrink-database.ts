import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'

/** Free pages that are kept for new rows; the others are returned to the disk. */
const maxFreePages = 200
const vacuumPages = 100

/** Returns free pages of a database with incremental vacuum to the disk, and removes deleted data from the write-ahead log. */
export async function shrinkDatabase(db: DatabaseSync): Promise<void> {
  const free = () => Number(db.prepare('PRAGMA freelist_count').get()?.freelist_count)
  for (let before = Number.POSITIVE_INFINITY; free() > maxFreePages && free() < before; await turn()) {
    before = free()
    db.exec(`PRAGMA incremental_vacuum(${vacuumPages})`)
  }
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}
