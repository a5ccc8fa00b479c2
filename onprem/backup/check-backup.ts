import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { AppError } from '../../shared/errors.ts'
import { isFullDisk } from '../../shared/system/full-disk.ts'
import type { BackupHeader } from './backup-header.ts'
import { readBackup } from './read-backup.ts'

/** Reads an archive to its end and checks everything that a restore checks. Only its database is unpacked, to a temporary folder. Throws internal_error. */
export async function checkBackup(path: string, signal: AbortSignal): Promise<BackupHeader> {
  const folder = mkdtempSync(join(tmpdir(), 'carrel-check-'))
  const database = join(folder, 'carrel.db')
  try {
    const header = await readBackup(path, {
      signal,
      async onFile({ name, content }) {
        if (name !== 'carrel.db') return
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

/** A backup of a damaged database has the right checksums all the same. Throws internal_error. */
export function checkDatabase(database: string, { path, header }: { path: string; header: BackupHeader }): void {
  const url = pathToFileURL(database)
  // Otherwise SQLite would leave a log next to it.
  url.searchParams.set('immutable', '1')
  let found: unknown
  try {
    const db = new DatabaseSync(url, { readOnly: true })
    try {
      const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
      const { schema } = header
      found =
        version === schema ? db.prepare('PRAGMA quick_check(1)').get()?.quick_check : `its schema is ${version}, not ${schema}`
    } finally {
      db.close()
    }
  } catch (error) {
    found = error instanceof Error ? error.message : String(error)
  }
  if (found === 'ok') return
  const message = `The database in the backup ${path} is damaged: ${String(found).replaceAll(/\s+/g, ' ')}. Nothing was changed; use an older backup.`
  throw new AppError('internal_error', message, { shown: true })
}

const noRoom = (cause: unknown) =>
  new AppError(
    'internal_error',
    `The disk of ${tmpdir()} is full, where the database of the backup is unpacked to check it. Make room, or set TMPDIR to another folder.`,
    { cause, shown: true },
  )
