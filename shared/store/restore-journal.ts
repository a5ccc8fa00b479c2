import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../errors.ts'

/** Exists while a restore replaces the content of a data directory. */
export const restoreJournal = (dataDir: string): string => join(dataDir, 'restore.json')

export const hasUnfinishedRestore = (dataDir: string): boolean => existsSync(restoreJournal(dataDir))

/** Throws while the content of the data directory is partly replaced: a database that is opened now could be an empty one. */
export function rejectUnfinishedRestore(dataDir: string): void {
  if (!hasUnfinishedRestore(dataDir)) return
  throw new AppError(
    'cannot_start',
    `A restore into DATA_DIR ${dataDir} is running or was interrupted. Wait until it has ended; the next start of the server completes an interrupted one.`,
  )
}
