import { randomBytes } from 'node:crypto'
import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { asFullDisk } from '../../../shared/system/full-disk.ts'
import type { DiskSpace } from './disk-guard.ts'

/** A file whose space is given to work that must succeed on a full disk: a start, a sign-in and the end of a job. */
export type DiskReserve = {
  /** Runs `work`. While it fails for lack of space, cuts a piece off the file and runs it again. */
  use<T>(work: () => T | Promise<T>): Promise<T>
  /** Writes the file now and whenever a piece is missing and there is room, until the returned function is called. */
  keep(everyMs: number): () => void
}

const sizeBytes = 4 * 1024 * 1024
const pieceBytes = sizeBytes / 8
/** SQLite needs this to open a database. */
const fullBelowBytes = 128 * 1024

export function diskReserve(dataDir: string, space: (folder: string) => DiskSpace | undefined): DiskReserve {
  const path = join(dataDir, 'reserve')
  const freeBytes = () => space(dataDir)?.freeBytes
  const heldBytes = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const hasNoSpace = (thrown: unknown) => {
    const error = asFullDisk(thrown)
    if (error instanceof AppError && error.code !== 'cannot_start') return error.code === 'disk_full'
    return (freeBytes() ?? fullBelowBytes) < fullBelowBytes
  }
  const fill = () => {
    try {
      if (heldBytes() >= sizeBytes || (freeBytes() ?? 0) < 2 * sizeBytes) return
      // Random, because a file system may compress zeros.
      writeFileSync(path, randomBytes(sizeBytes), { mode: 0o600 })
    } catch {
      rmSync(path, { force: true })
    }
  }
  return {
    async use(work) {
      for (;;) {
        try {
          return await work()
        } catch (error) {
          if (heldBytes() === 0 || !hasNoSpace(error)) throw error
        }
        // Another program may take the released space, so the rest is kept for what comes next.
        truncateSync(path, Math.max(0, heldBytes() - pieceBytes))
      }
    },
    keep(everyMs) {
      fill()
      const timer = setInterval(fill, everyMs).unref()
      return () => clearInterval(timer)
    },
  }
}
