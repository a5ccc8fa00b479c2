import { AppError } from '../../shared/errors.ts'
import { isDataDirLocked } from '../../shared/store/open-data-dir.ts'
import { packageVersion } from '../../shared/system/package-version.ts'
import { readServerFile, type ServerFacts } from './server-file.ts'

/** Throws if a server of another version runs on the data directory: opening the database could migrate it under that server. */
export function rejectOtherVersion(dataDir: string): void {
  const server = readServerFile(dataDir)
  // A killed server leaves its file behind, but not its lock.
  if (server && server.version !== packageVersion() && isDataDirLocked(dataDir)) throw otherVersion(server)
}

export const otherVersion = ({ version, pid }: ServerFacts): AppError =>
  new AppError(
    'internal_error',
    `The running server (process ${pid}) is version ${version}, but this command is version ${packageVersion()}. Restart the server, or use the command of its version.`,
  )
