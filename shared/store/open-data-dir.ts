import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../errors.ts'
import { claimDataDir, type Half } from './claim-data-dir.ts'
import { isBusy } from './database.ts'

/** Kept here, since a lock that its owner forgets would be collected, closed and so released. */
const held = new Set<DatabaseSync>()

/** Makes the data directory where it is missing, for its owner alone, and gives its absolute path. */
export function openDataDir(path: string): string {
  const dataDir = resolve(path)
  try {
    makeFolder(dataDir)
    if (!statSync(dataDir).isDirectory()) throw new Error('it is not a directory')
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return dataDir
  } catch (error) {
    throw new AppError('internal_error', `DATA_DIR ${dataDir} cannot be used: ${reason(error)}.`, { cause: error })
  }
}

/** Makes a folder of the data directory for its owner alone, and takes from others what rights they have on one that is there. */
export function privateFolder(path: string): string {
  try {
    makeFolder(path)
    if (!statSync(path).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
    if (statSync(path).uid === process.getuid?.()) chmodSync(path, 0o700)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return path
  } catch (error) {
    throw new AppError('internal_error', `The folder ${path} cannot be used: ${reason(error)}.`, { cause: error })
  }
}

/**
 * Holds the data directory for one server of one half until `release` or the end of the process, however it ends: the lock is the
 * kernel's, on an open file. The first server makes it its half's for good.
 */
export function lockDataDir(dataDir: string, half: Half): { release(): void } {
  const path = join(dataDir, 'server.lock')
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock?.close()
    const message = isBusy(error)
      ? `Another Carrel server already runs on DATA_DIR ${dataDir}; stop it or choose another DATA_DIR.`
      : `The lock ${path} cannot be taken: ${reason(error)}.`
    throw new AppError('internal_error', message, { cause: error })
  }
  const taken = lock
  try {
    claimDataDir(dataDir, half)
  } catch (error) {
    taken.close()
    throw error instanceof AppError
      ? error
      : new AppError('internal_error', `DATA_DIR ${dataDir} cannot be used: ${reason(error)}.`, { cause: error })
  }
  held.add(taken)
  return {
    release() {
      if (held.delete(taken)) taken.close()
    },
  }
}

/** Whether `lockDataDir` refused since another process holds the directory. */
export const isLocked = (error: unknown): boolean => error instanceof AppError && isBusy(error.cause)

/** Makes a folder with its parents, one at a time: Node's own recursive mkdir never ends where a parent refuses as /proc does. */
export function makeFolder(path: string): void {
  const missing: string[] = []
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder)
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      const madeMeanwhile = existsSync(folder)
      if (!madeMeanwhile) throw error
    }
  }
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not write there'
  if (code === 'EROFS') return 'its file system is read-only'
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'a file is in its way'
  if (code === 'ENOENT') return 'its parent folder does not exist and cannot be made'
  if (code === 'ENOSPC') return 'the disk is full'
  return error instanceof Error ? error.message : String(error)
}
