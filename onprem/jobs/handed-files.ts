import type { DatabaseSync } from 'node:sqlite'

/** Files of one version of a library that readers have, and what crashes said against them. */
export type HandedFiles = {
  /** Notes files as being in a reader's hands, until `handedBack`. */
  handedOut(paths: string[]): void
  handedBack(paths: string[]): void
  /** Files that were in a reader's hands at three crashes, whichever version of the library was being read. */
  suspects(): Set<string>
  /** All files of the version are read: only these of its suspects stay suspect, and earlier crashes count no more. */
  allRead(suspects: string[]): void
}

const crashesBeforeSuspicion = 3

export function handedFiles(db: DatabaseSync, key: string, version: string): HandedFiles {
  const handOut = db.prepare('INSERT OR IGNORE INTO files_in_hand (key, version, path) SELECT ?, ?, value FROM json_each(?)')
  const handBack = db.prepare(
    'DELETE FROM files_in_hand WHERE key = ? AND version = ? AND path IN (SELECT value FROM json_each(?))',
  )
  return {
    handedOut: (paths) => void handOut.run(key, version, JSON.stringify(paths)),
    handedBack: (paths) => void handBack.run(key, version, JSON.stringify(paths)),
    suspects() {
      const rows = db.prepare('SELECT path FROM file_crashes WHERE key = ? AND crashes >= ?').all(key, crashesBeforeSuspicion)
      return new Set(rows.map(({ path }) => String(path)))
    },
    allRead(suspects) {
      db.prepare('DELETE FROM file_crashes WHERE key = ? AND version = ? AND path NOT IN (SELECT value FROM json_each(?))').run(
        key,
        version,
        JSON.stringify(suspects),
      )
    },
  }
}

/** After a crash: what was in a reader's hands is held against it. */
export function blameFiles(db: DatabaseSync): void {
  db.exec(`
    INSERT INTO file_crashes (key, version, path, crashes) SELECT key, version, path, 1 FROM files_in_hand WHERE true
      ON CONFLICT (key, version, path) DO UPDATE SET crashes = crashes + 1;
    DELETE FROM files_in_hand;
    DELETE FROM file_crashes WHERE key NOT IN (SELECT key FROM libraries UNION SELECT key FROM jobs)`)
}

/** When a run ends by itself: nothing of the library is in a reader's hands. */
export function releaseFiles(db: DatabaseSync, key: string): void {
  db.prepare('DELETE FROM files_in_hand WHERE key = ?').run(key)
}
