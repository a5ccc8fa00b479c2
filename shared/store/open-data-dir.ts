import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../errors.ts'
import { ownProblem, problemOf } from '../system/machine-error.ts'
import { giveToThisUser } from '../system/path-problem.ts'
import { claimDataDir, type Half } from './claim-data-dir.ts'
import { isBusy } from './database.ts'

/** Keeps references to locks, because garbage collection would close and release them. */
const locks = new Set<DatabaseSync>()

/** Returns the absolute path of the data directory. Creates it if it is missing, accessible only to its owner. */
export function openDataDir(path: string): string {
  const dataDir = resolve(path)
  try {
    makeFolder(dataDir)
    if (!statSync(dataDir).isDirectory()) throw new Error('it is not a directory')
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return dataDir
  } catch (error) {
    throw unusable(`DATA_DIR ${dataDir}`, error, dataDir)
  }
}

/** The command that helps is only named for a path below `dataDir`. */
function unusable(what: string, error: unknown, dataDir: string): AppError {
  const help = ownProblem(error, dataDir)?.help
  const message = `${what} cannot be used: ${reason(error)}.${help === undefined ? '' : ` ${help}`}`
  return new AppError('cannot_start', message, { cause: error })
}

/** Creates a folder accessible only to its owner. Removes the permissions of others from an existing one. */
export function privateFolder(path: string): string {
  try {
    makeFolder(path)
    if (!statSync(path).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR', path })
    if (statSync(path).uid === process.getuid?.()) chmodSync(path, 0o700)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return path
  } catch (error) {
    throw unusable(`The folder ${path}`, error, path)
  }
}

/**
 * Locks the data directory for one server until `release` or the end of the process, even a crash: it is a kernel lock on an open file. The first
 * server assigns the directory to its half permanently.
 */
export function lockDataDir(dataDir: string, half: Half): { release(): void } {
  const path = join(dataDir, 'server.lock')
  rejectForeignFile(dataDir, path)
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path, { timeout: 0 })
    // The first lock of an empty file would write a journal, for which a full disk has no room.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    lock?.close()
    const message = isBusy(error)
      ? `Another Carrel server already uses DATA_DIR ${dataDir}. Stop it or choose another DATA_DIR.`
      : `The lock ${path} cannot be taken: ${reason(error)}.`
    throw new AppError('cannot_start', message, { cause: error })
  }
  const taken = lock
  try {
    claimDataDir(dataDir, half)
  } catch (error) {
    taken.close()
    throw error instanceof AppError ? error : unusable(`DATA_DIR ${dataDir}`, error, dataDir)
  }
  locks.add(taken)
  return {
    release() {
      if (locks.delete(taken)) taken.close()
    },
  }
}

/** True if a process holds the lock of the data directory. Creates nothing. */
export function isDataDirLocked(dataDir: string): boolean {
  const path = join(dataDir, 'server.lock')
  if (!existsSync(path)) return false
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path, { timeout: 0, readOnly: true })
    lock.exec('SELECT count(*) FROM sqlite_schema')
    return false
  } catch (error) {
    return isBusy(error)
  } finally {
    lock?.close()
  }
}

/** True if `lockDataDir` failed because another process holds the lock. */
export const isLocked = (error: unknown): boolean => error instanceof AppError && isBusy(error.cause)

/** Creates a folder with its parents, one at a time: Node's recursive mkdir never returns if a parent fails as /proc does. */
export function makeFolder(path: string): void {
  const missing: string[] = []
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder)
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      const createdMeanwhile = existsSync(folder)
      if (!createdMeanwhile) throw error
    }
  }
}

/** The data directory may be writable for every user, as a new volume of Docker is, and its files only for their owner. */
function rejectForeignFile(dataDir: string, path: string): void {
  const uid = statSync(path, { throwIfNoEntry: false })?.uid
  if (uid === undefined) return
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
  } catch (error) {
    if (uid === process.getuid?.()) throw unusable(`DATA_DIR ${dataDir}`, error, dataDir)
    const whose = `its files belong to another user (uid ${uid}; this is uid ${process.getuid?.()})`
    const message = `DATA_DIR ${dataDir} cannot be used: ${whose}. Run Carrel as that user, or run: ${giveToThisUser(dataDir)}`
    throw new AppError('cannot_start', message, { cause: error })
  }
}

/** Errors about a path that `problemOf` explains with its owner or target. */
const namedCodes = ['EACCES', 'EPERM', 'EROFS', 'EEXIST']

/** The reason why a file or folder cannot be used, as the end of a sentence. */
export function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const named = code !== undefined && namedCodes.includes(String(code)) ? problemOf(error) : undefined
  if (named) return named.reason
  if (code === 'EACCES' || code === 'EPERM') return 'this user has no write permission there'
  if (code === 'EROFS') return 'its file system is read-only'
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'a file is in its way'
  if (code === 'ENOENT') return 'its parent folder does not exist and cannot be created'
  if (code === 'ENOSPC') return 'the disk is full'
  return error instanceof Error ? error.message : String(error)
}
