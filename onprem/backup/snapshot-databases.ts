import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { isSecret } from '../../shared/settings/settings.ts'
import { stagedImports } from '../store/jobs/staged-imports.ts'
import { databaseFiles } from './archived-files.ts'
import type { BackupHeader } from './backup-header.ts'

/** The databases of an install at one moment, whatever is written meanwhile. */
export type DatabaseSnapshot = Pick<BackupHeader, 'schema' | 'secrets'> & {
  libraries: { library: string; version: string; snippets: number; generation: string }[]
  /** The served generations. */
  generations: string[]
  /** Names of the staged imports that jobs need. */
  imports: string[]
  /** Copies the databases into a folder, some pages at a time. */
  copyTo(folder: string, signal: AbortSignal): Promise<void>
  close(): void
}

const busyTimeoutMs = 5_000
const pagesAtOnce = 256

/** Opens its own connections and begins both transactions before anything else can run in this process. */
export function snapshotDatabases(dataDir: string, now: () => Date): DatabaseSnapshot {
  const opened: DatabaseSync[] = []
  const close = () => {
    for (const db of opened) db.close()
  }
  try {
    for (const name of databaseFiles) opened.push(beginReading(join(dataDir, name)))
    const [db] = opened as [DatabaseSync]
    const libraries = db.prepare('SELECT key AS library, version, snippets, generation FROM versions ORDER BY key, version').all()
    return {
      schema: Number(db.prepare('PRAGMA user_version').get()?.user_version),
      secrets: textsOf(db, 'SELECT name AS text FROM settings ORDER BY name').filter(isSecret),
      libraries: libraries.map((row) => ({ ...row })) as DatabaseSnapshot['libraries'],
      generations: textsOf(db, 'SELECT DISTINCT generation AS text FROM versions ORDER BY generation'),
      imports: [...stagedImports(db, now).stagedImports()].sort(),
      async copyTo(folder, signal) {
        for (const [i, name] of databaseFiles.entries()) {
          const progress = () => signal.throwIfAborted()
          await backup(opened[i] as DatabaseSync, join(folder, name), { rate: pagesAtOnce, progress })
          signal.throwIfAborted()
        }
      },
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}

/** A backup from a connection inside a transaction copies the state of that transaction and never starts again. */
function beginReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, readOnly: true })
  try {
    db.exec('BEGIN')
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

const textsOf = (db: DatabaseSync, query: string): string[] =>
  db
    .prepare(query)
    .all()
    .map(({ text }) => String(text))

/** Identifies the key of stored secrets, which are random bytes, without revealing it. Null if there is none. */
export function secretsKeyId(folder: string): string | null {
  try {
    return createHash('sha256')
      .update('carrel secrets key id\n')
      .update(readFileSync(join(folder, 'secrets.key')))
      .digest('hex')
      .slice(0, 32)
  } catch {
    return null
  }
}
