import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../../shared/errors.ts'
import { whyUnreadable } from '../../../shared/store/unreadable-file.ts'
import { asFullDisk, isFullDisk } from '../../../shared/system/full-disk.ts'

const fileName = 'vectors.db'
/** A vector of 1,024 numbers takes 4 KB: seven of them share a page. */
const pageBytes = 32 * 1024
/** Pages of the log that are copied at a time, while the server waits. */
const checkpointPages = 128

/** The first version of the schema. A later version can begin a new file, because vectors can be computed again. */
const schema = `
  CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE IF NOT EXISTS generations (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, library TEXT NOT NULL, model INTEGER NOT NULL, since TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS vectors (
    id INTEGER PRIMARY KEY, model INTEGER NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (model, hash)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS uses (
    generation INTEGER NOT NULL, vector INTEGER NOT NULL, PRIMARY KEY (generation, vector)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS uses_by_vector ON uses (vector);
  CREATE TABLE IF NOT EXISTS left_out (
    generation INTEGER NOT NULL, hash BLOB NOT NULL, path TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (generation, hash, path)
  ) STRICT, WITHOUT ROWID;
`

/** Opens the database of vectors, readable only by its owner. Deleted data is overwritten. Throws cannot_start. */
export function openVectors(dataDir: string): DatabaseSync {
  const path = join(dataDir, fileName)
  let db: DatabaseSync | undefined
  try {
    closeSync(openSync(path, 'a', 0o600))
    db = new DatabaseSync(path)
    // These only take effect before the first table is created; later they would only write.
    const isNew = db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
    if (isNew) db.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL`)
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${checkpointPages}`)
    db.exec('PRAGMA secure_delete = ON')
    db.exec(schema)
    return db
  } catch (error) {
    db?.close()
    if (isFullDisk(error)) throw asFullDisk(error)
    const advice = 'If the file is damaged, remove it: a re-index computes the vectors again.'
    const message = `The vectors in ${path} cannot be opened: ${whyUnreadable(path, error, advice)}`
    throw new AppError('cannot_start', message, { cause: error })
  }
}
