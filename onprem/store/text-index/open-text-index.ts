import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The text index of DATA_DIR and its log. It is derived from the snippets, so a backup omits it. */
const textIndexFiles = ['texts.db', 'texts.db-wal', 'texts.db-shm'] as const

const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/** A rowid is the number of its generation times this, plus its position. */
export const rowsPerGeneration = 2 ** 32

const schema = `
  CREATE TABLE IF NOT EXISTS generations (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, complete INTEGER NOT NULL) STRICT;
  CREATE VIRTUAL TABLE IF NOT EXISTS chunks USING fts5(
    library, page, heading, content, path UNINDEXED, title UNINDEXED, section UNINDEXED,
    tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
  );
`

export const hasTextIndex = (dataDir: string): boolean => existsSync(join(dataDir, textIndexFiles[0]))

/** Opens the text index, readable only by its owner, empty if the file is damaged. */
export function openTextIndex(dataDir: string): DatabaseSync {
  try {
    return open(join(dataDir, textIndexFiles[0]))
  } catch (error) {
    if (!isDamagedIndex(error)) throw error
    removeTextIndex(dataDir)
    return open(join(dataDir, textIndexFiles[0]))
  }
}

export function removeTextIndex(dataDir: string): void {
  for (const name of textIndexFiles) rmSync(join(dataDir, name), { force: true })
}

export const isDamagedIndex = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && [SQLITE_CORRUPT, SQLITE_NOTADB].includes(Number(error.errcode) & 0xff)

function open(path: string): DatabaseSync {
  closeSync(openSync(path, 'a', 0o600))
  const db = new DatabaseSync(path)
  try {
    // This only takes effect before the first table is created; later it would only write.
    if (db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined) db.exec('PRAGMA auto_vacuum = INCREMENTAL')
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON')
    db.exec(schema)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
