import { DatabaseSync } from 'node:sqlite'

/** A set of event ids that does not grow in memory: SQLite stores it in an unnamed temporary file, which is deleted on close. */
export function seenIds(): { add(id: string): boolean; close(): void } {
  const db = new DatabaseSync('')
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE id (id TEXT PRIMARY KEY) WITHOUT ROWID')
  const insert = db.prepare('INSERT OR IGNORE INTO id VALUES (?)')
  return {
    /** False if the id is in the set already. */
    add: (id) => insert.run(id).changes === 1,
    close: () => db.close(),
  }
}
