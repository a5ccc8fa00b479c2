import { AppError } from '../../../shared/errors.ts'
import { isLocked, lockDataDir } from '../../../shared/store/open-data-dir.ts'
import { rejectRoot } from '../../../shared/store/reject-root.ts'
import { isFullDisk } from '../../../shared/system/full-disk.ts'
import { removeServerFiles, writeCommandFile } from '../../store/data-dir/server-file.ts'

/** Locks the data directory for a command that cannot work while a server runs. Throws cannot_start if another process uses it. */
export function lockAlone(dataDir: string, command: string): { release(): void } {
  rejectRoot(dataDir)
  const lock = lockOrExplain(dataDir, command)
  removeServerFiles(dataDir)
  try {
    writeCommandFile(dataDir, { pid: process.pid, command: `carrel ${command}` })
  } catch (error) {
    // It only names this command to others, and this one may free space.
    if (!isFullDisk(error)) throw error
  }
  return {
    release() {
      removeServerFiles(dataDir)
      lock.release()
    },
  }
}

function lockOrExplain(dataDir: string, command: string): { release(): void } {
  try {
    return lockDataDir(dataDir, 'onprem')
  } catch (error) {
    if (!isLocked(error)) throw error
    const message = `A server or another command uses DATA_DIR ${dataDir}. Stop it, then ${command}. Nothing was changed.`
    throw new AppError('cannot_start', message, { cause: error })
  }
}
