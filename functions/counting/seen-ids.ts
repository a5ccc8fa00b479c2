import { DatabaseSync } from 'node:sqlite'

/** A set of event ids that does not grow in memory: SQLite keeps it in a file without a name, which is gone when it is closed. */
export function seenIds(): { add(id: string): boolean; close(): void } {
  const db = new DatabaseSync('')
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE id (id TEXT PRIMARY KEY) WITHOUT ROWID')
  const insert = db.prepare('INSERT OR IGNORE INTO id VALUES (?)')
  return {
    /** Whether it was not there before. */
    add: (id) => insert.run(id).changes === 1,
    close: () => db.close(),
  }
}
