import { createWriteStream, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { AppError } from '../../shared/errors.ts'
import { openDatabase } from '../../shared/store/database.ts'
import { migrations } from '../../shared/store/migrations.ts'
import { isFullDisk } from '../../shared/system/full-disk.ts'
import { isStagedName } from '../store/jobs/staged-imports.ts'
import type { BackupHeader } from './backup-header.ts'
import { readBackup } from './read-backup.ts'

/** Reads an archive to its end and checks everything that a restore checks. Only its database is unpacked, to a temporary folder. Throws data_damaged. */
export async function checkBackup(path: string, signal: AbortSignal): Promise<BackupHeader> {
  const folder = mkdtempSync(join(tmpdir(), 'carrel-check-'))
  const database = join(folder, 'carrel.db')
  try {
    const header = await readBackup(path, {
      signal,
      async onFile({ name, sizeBytes, content }) {
        if (name !== 'carrel.db') return
        // A migration may write all of it again.
        const { bavail, bsize } = statfsSync(folder)
        if (bavail * bsize < 2 * sizeBytes) throw noRoom()
        await pipeline(Readable.from(content, { objectMode: false }), createWriteStream(database, { mode: 0o600 }), { signal })
      },
    })
    checkDatabase(database, { path, header })
    return header
  } catch (error) {
    throw isFullDisk(error) ? noRoom(error) : error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A backup of a damaged database still has the right checksums. Migrates the unpacked `database`. Throws data_damaged. */
export function checkDatabase(database: string, { path, header }: { path: string; header: BackupHeader }): void {
  const url = pathToFileURL(database)
  // SQLite would otherwise leave a log next to it.
  url.searchParams.set('immutable', '1')
  let integrity: unknown
  try {
    const db = new DatabaseSync(url, { readOnly: true })
    try {
      const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
      const { schema } = header
      if (version !== schema) integrity = `its schema is ${version}, not ${schema}`
      else if (triggersOf(db) !== migrated(schema, triggersOf)) integrity = 'it has other triggers than Carrel makes'
      else integrity = db.prepare('PRAGMA quick_check(1)').get()?.quick_check
    } finally {
      db.close()
    }
    if (integrity === 'ok') integrity = problemOfMigrated(database) ?? 'ok'
  } catch (error) {
    if (error instanceof AppError && isFullDisk(error.cause)) throw error.cause
    integrity = error instanceof Error ? error.message : String(error)
  }
  if (integrity === 'ok') return
  const message = `The database in the backup ${path} is damaged: ${String(integrity).replaceAll(/\s+/g, ' ')}. Nothing was changed; use an older backup.`
  throw new AppError('data_damaged', message)
}

/** Migrates a database to the newest schema, as the next start would, and returns the problem that would make it unusable. */
function problemOfMigrated(database: string): string | undefined {
  const db = openDatabase(dirname(database))
  try {
    const tables = tablesOf(db)
    const missing = migrated(migrations.length, tablesOf).find((table) => !tables.includes(table))
    if (missing !== undefined) return `it has no table ${missing}`
    const staged = db.prepare("SELECT json_extract(request, '$.staged') AS name FROM jobs WHERE kind = 'import'").all()
    return staged.every(({ name }) => isStagedName(String(name))) ? undefined : 'an import has data of an invalid name'
  } finally {
    db.close()
  }
}

/** Reads a new database of a schema. */
function migrated<T>(schema: number, read: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(':memory:')
  try {
    for (const step of migrations.slice(0, schema)) db.exec(step)
    return read(db)
  } finally {
    db.close()
  }
}

const tablesOf = (db: DatabaseSync): string[] =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => String(name))

/** Foreign triggers would run in the migrations and in the server. */
const triggersOf = (db: DatabaseSync): string =>
  JSON.stringify(db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name").all())

const noRoom = (cause?: unknown) =>
  new AppError(
    'disk_full',
    `The disk of ${tmpdir()} is full, where the database of the backup is unpacked to check it. Make room, or set TMPDIR to another folder.`,
    { cause },
  )
