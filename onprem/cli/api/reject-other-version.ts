import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../../shared/errors.ts'
import { databaseState } from '../../../shared/store/database.ts'
import { isDataDirLocked } from '../../../shared/store/open-data-dir.ts'
import { packageVersion } from '../../../shared/system/package-version.ts'
import { readServerFile, type ServerFacts } from '../../store/data-dir/server-file.ts'

/** Maximum time that a command waits for a server that starts. */
const maxWaitMs = 5_000
const pauseMs = 50

/**
 * Throws if a server of another version runs on the data directory: opening the database could migrate it under that server. The database is
 * checked, too: a server writes its file only after it has started.
 */
export async function rejectOtherVersion(dataDir: string): Promise<void> {
  const end = performance.now() + maxWaitMs
  // A killed server leaves its file behind, but not its lock.
  while (isDataDirLocked(dataDir)) {
    const server = readServerFile(dataDir)
    if (server && server.version !== packageVersion()) throw otherVersion(server)
    const state = databaseState(dataDir)
    if (state === 'current' || state === 'newer') return
    if (performance.now() > end) throw notMigrated(dataDir)
    await sleep(pauseMs)
  }
}

export const otherVersion = ({ version, pid }: ServerFacts): AppError =>
  new AppError(
    'cannot_start',
    `The running server (process ${pid}) is version ${version}, but this command is version ${packageVersion()}. Restart the server, or use the command of its version.`,
  )

const notMigrated = (dataDir: string): AppError =>
  new AppError(
    'cannot_start',
    `Another process uses DATA_DIR ${dataDir}, and its database is not that of version ${packageVersion()}. Wait until the process has started, or restart it with this version.`,
  )
