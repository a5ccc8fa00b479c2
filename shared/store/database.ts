import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { AppError } from '../errors.ts'
import { asFullDisk, isFullDisk } from '../system/full-disk.ts'
import { migrations } from './migrations.ts'
import { rejectUnfinishedRestore } from './restore-journal.ts'
import { whyUnreadable } from './unreadable-file.ts'

const fileName = 'carrel.db'
/** "Crrl". In the header of the database, so that data of unreleased versions and of other programs is never read as ours. */
const applicationId = 0x4372726c
const busyTimeoutMs = 5_000
const pauseMs = 20
const SQLITE_BUSY = 5
const SQLITE_CORRUPT = 11

/**
 * Opens the database of an install and migrates it to the newest schema. Several processes may have it open: the command line writes while the
 * server runs, and each sees the other's commits at its next read.
 */
export function openDatabase(dataDir: string): DatabaseSync {
  rejectUnfinishedRestore(dataDir)
  const path = join(dataDir, fileName)
  let db: DatabaseSync | undefined
  try {
    // SQLite's other files inherit the mode of this one.
    closeSync(openSync(path, 'a', 0o600))
    const header = readHeader(path)
    if (isForeign(header)) throw foreign(path)
    db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
    switchToWal(db, header.length === 0)
    db.exec('PRAGMA synchronous = NORMAL')
    migrate(db, path)
    return db
  } catch (error) {
    db?.close()
    if (error instanceof AppError || isFullDisk(error)) throw asFullDisk(error)
    const message = `The database ${path} cannot be opened: ${whyUnreadable(path, error, '')}`
    throw new AppError('cannot_start', message, { cause: error })
  }
}

/** Runs `work` on an existing database that it only reads. Neither migrates the database nor leaves a file behind. */
export async function withDatabaseForReading<T>(dataDir: string, work: (db: DatabaseSync) => T | Promise<T>): Promise<T> {
  const db = openForReading(dataDir)
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

function openForReading(dataDir: string): DatabaseSync {
  const path = join(dataDir, fileName)
  const url = pathToFileURL(path)
  // SQLite would create a log to read from. Without a log, no other process has the database open.
  if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { timeout: busyTimeoutMs, readOnly: true })
}

export type DatabaseState = 'missing' | 'foreign' | 'older' | 'current' | 'newer'

/** The schema of the database compared with that of this version; "current" if it cannot be read, so that opening it reports the error. */
export function databaseState(dataDir: string): DatabaseState {
  if (!hasDatabase(dataDir)) return 'missing'
  if (isForeign(readHeader(join(dataDir, fileName)))) return 'foreign'
  let db: DatabaseSync | undefined
  try {
    db = openForReading(dataDir)
    const version = versionOf(db)
    if (version === migrations.length) return 'current'
    return version < migrations.length ? 'older' : 'newer'
  } catch (error) {
    return isBusy(error) ? 'older' : 'current'
  } finally {
    db?.close()
  }
}

export const hasDatabase = (dataDir: string): boolean => existsSync(join(dataDir, fileName))

/** Runs `work` in a transaction, or as a part of the running one. Rolls back if it throws. Throws disk_full. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  if (db.isTransaction) return part(db, work)
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite has already rolled back after a full disk or an I/O error.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw asFullDisk(error)
  }
}

function part<T>(db: DatabaseSync, work: () => T): T {
  db.exec('SAVEPOINT part')
  try {
    return work()
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK TO part')
    throw error
  } finally {
    if (db.isTransaction) db.exec('RELEASE part')
  }
}

/** Converts a damaged database page to an error that callers see. Returns other errors unchanged. */
export function asDamage(error: unknown): unknown {
  if (errcodeOf(error) !== SQLITE_CORRUPT) return error
  const message = 'The database of DATA_DIR is damaged. Stop the server, then run "carrel restore FILE" with a backup.'
  return new AppError('data_damaged', message, { cause: error })
}

export const isDamaged = (error: unknown): error is AppError =>
  error instanceof AppError && errcodeOf(error.cause) === SQLITE_CORRUPT

/** Throws if one of these tables, or an index of it, is damaged. */
export function checkTables(db: DatabaseSync, tables: string[]): void {
  for (const table of tables) {
    const verdict = db.prepare(`PRAGMA quick_check(${table})`).get()?.quick_check
    if (verdict !== 'ok') throw asDamage(Object.assign(new Error(String(verdict)), { errcode: SQLITE_CORRUPT }))
  }
}

/** True if another connection holds the lock. */
export const isBusy = (error: unknown): boolean => errcodeOf(error) === SQLITE_BUSY

/** Converts an SQLite error at the start of a server to one sentence. Returns other errors unchanged. */
export function asStartError(error: unknown, dataDir: string): unknown {
  const errcode = errcodeOf(error)
  if (!(error instanceof Error) || errcode === undefined) return error
  if (isFullDisk(error)) return asFullDisk(error)
  const advice = errcode === SQLITE_CORRUPT ? 'Restore a backup with "carrel restore FILE".' : ''
  const path = join(dataDir, fileName)
  const message = `The database ${path} cannot be read: ${whyUnreadable(path, error, advice)}`
  return new AppError('cannot_start', message, { cause: error })
}

const errcodeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined

/** Reads the header from the file, because SQLite would write a log next to it. Empty for a new database. */
function readHeader(path: string): Buffer {
  const header = Buffer.alloc(100)
  const file = openSync(path, 'r')
  try {
    return header.subarray(0, readSync(file, header))
  } finally {
    closeSync(file)
  }
}

/** False for a file that is no SQLite database: SQLite reports it. */
const isForeign = (header: Buffer): boolean =>
  header.length === 100 && header.toString('latin1', 0, 15) === 'SQLite format 3' && header.readUInt32BE(68) !== applicationId

const foreign = (path: string): AppError =>
  new AppError(
    'cannot_start',
    `The database ${path} was written by an unreleased version of Carrel or by another program. Nothing was changed. Choose an empty DATA_DIR and add the libraries again, or start the version that wrote it.`,
  )

/** SQLite's busy timeout does not apply here: the switch fails immediately while another process writes a new database. */
function switchToWal(db: DatabaseSync, isNew: boolean): void {
  for (const deadline = performance.now() + busyTimeoutMs; ; ) {
    try {
      if (isNew) db.exec(`PRAGMA application_id = ${applicationId}`)
      db.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
  }
}

function migrate(db: DatabaseSync, path: string): void {
  if (versionOf(db) === migrations.length) return
  transaction(db, () => {
    const version = versionOf(db)
    if (version > migrations.length) {
      const advice = 'Start that version, or restore a copy of DATA_DIR from before the upgrade.'
      throw new AppError('cannot_start', `The database ${path} was written by a newer version of Carrel. ${advice}`)
    }
    for (const step of migrations.slice(version)) db.exec(step)
    db.exec(`PRAGMA user_version = ${migrations.length}`)
  })
}

const versionOf = (db: DatabaseSync): number => Number(db.prepare('PRAGMA user_version').get()?.user_version)
