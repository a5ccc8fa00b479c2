import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../errors.ts'
import { fullDisk, isFullDisk } from '../system/full-disk.ts'
import { migrations } from './migrations.ts'

const fileName = 'carrel.db'
const busyTimeoutMs = 5_000
const pauseMs = 20
const SQLITE_BUSY = 5
const SQLITE_CORRUPT = 11

/**
 * Opens the one database of an install, at the newest schema. Several processes may have it open: the command line
 * writes while the server runs, and each sees what the other committed at its next read.
 */
export function openDatabase(dataDir: string): DatabaseSync {
  const path = join(dataDir, fileName)
  let db: DatabaseSync | undefined
  try {
    // What SQLite lays beside the file takes over its mode.
    closeSync(openSync(path, 'a', 0o600))
    db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
    switchToWal(db)
    db.exec('PRAGMA synchronous = NORMAL')
    migrate(db)
    return db
  } catch (error) {
    db?.close()
    if (error instanceof AppError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError('internal_error', `The database ${path} cannot be opened: ${why}.`, { cause: error })
  }
}

/** Runs `work` as one write: all of it is kept, or, where it throws, nothing. Throws internal_error, to be shown, where the disk is full. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // A full disk or an I/O error has already rolled back by itself.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw asFullDisk(error)
  }
}

/** A full disk as an error that a caller is shown; any other error as it is. */
export const asFullDisk = (error: unknown): unknown => (isFullDisk(error) ? fullDisk(nothingChanged, error) : error)

/** A damaged page of a database as an error that a caller is shown; any other error as it is. */
export function asDamage(error: unknown): unknown {
  if (errcodeOf(error) !== SQLITE_CORRUPT) return error
  const message = 'The database of DATA_DIR is damaged. Stop the server and restore carrel.db from a backup.'
  return new AppError('internal_error', message, { cause: error, shown: true })
}

export const isDamaged = (error: unknown): error is AppError =>
  error instanceof AppError && errcodeOf(error.cause) === SQLITE_CORRUPT

/** Throws if one of these tables, or an index of it, is damaged. */
export function checkTables(db: DatabaseSync, tables: string[]): void {
  for (const table of tables) {
    const found = db.prepare(`PRAGMA quick_check(${table})`).get()?.quick_check
    if (found !== 'ok') throw asDamage(Object.assign(new Error(String(found)), { errcode: SQLITE_CORRUPT }))
  }
}

/** Whether another connection holds the lock that was asked for. */
export const isBusy = (error: unknown): boolean => errcodeOf(error) === SQLITE_BUSY

/** What SQLite itself complains of when a server opens its stores, as one sentence; any other error as it is. */
export function asStartError(error: unknown, dataDir: string): unknown {
  const errcode = errcodeOf(error)
  if (!(error instanceof Error) || errcode === undefined) return error
  if (isFullDisk(error)) return fullDisk(nothingChanged, error)
  const advice = errcode === SQLITE_CORRUPT ? ' Restore it from a backup.' : ''
  const message = `The database ${join(dataDir, fileName)} cannot be read: ${error.message}.${advice}`
  return new AppError('internal_error', message, { cause: error })
}

const nothingChanged = 'Nothing was changed; make room and try again.'

const errcodeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined

/** SQLite's own waiting does not count here: it refuses the switch at once while another process writes a new database. */
function switchToWal(db: DatabaseSync): void {
  for (const giveUpAt = performance.now() + busyTimeoutMs; ; ) {
    try {
      db.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
  }
}

function migrate(db: DatabaseSync): void {
  if (versionOf(db) === migrations.length) return
  transaction(db, () => {
    const version = versionOf(db)
    if (version > migrations.length) {
      throw new AppError('internal_error', 'The database was written by a newer version of Carrel; start that version.')
    }
    for (const step of migrations.slice(version)) db.exec(step)
    db.exec(`PRAGMA user_version = ${migrations.length}`)
  })
}

const versionOf = (db: DatabaseSync): number => Number(db.prepare('PRAGMA user_version').get()?.user_version)
