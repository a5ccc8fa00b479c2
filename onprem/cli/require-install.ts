import { statSync } from 'node:fs'
import { AppError } from '../../shared/errors.ts'
import { hasDatabase } from '../../shared/store/database.ts'
import { isDataDirLocked } from '../../shared/store/open-data-dir.ts'
import { hasUnfinishedRestore } from '../../shared/store/restore-journal.ts'

/** Throws not_found if the data directory holds no install. Creates nothing. A server that starts has the lock before it has a database. */
export function requireInstall(dataDir: string, command: string): void {
  if (hasDatabase(dataDir) || isDataDirLocked(dataDir) || hasUnfinishedRestore(dataDir)) return
  // If it is a file, opening it as a folder reports that.
  if (statSync(dataDir, { throwIfNoEntry: false })?.isFile()) return
  throw new AppError(
    'not_found',
    `DATA_DIR ${dataDir} holds no install. Set DATA_DIR to the folder of an install, or create one there: "${command} start" starts a server, "${command} add owner/repo" adds a library.`,
  )
}
