import type { DatabaseSync } from 'node:sqlite'

/** The files of one version of a library that are being read, and the crashes that happened while they were. */
export type FileCrashes = {
  /** Records files as being read, until `handedBack`. */
  handedOut(paths: string[]): void
  handedBack(paths: string[]): void
  /** Files that were being read at three crashes, in any version of the library. */
  suspects(): Set<string>
  /** All files of the version were read: only these suspects stay suspect. Crashes of the other files are forgotten. */
  allRead(suspects: string[]): void
}

const crashesBeforeSuspicion = 3

export function fileCrashes(db: DatabaseSync, key: string, version: string): FileCrashes {
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

/** Records a crash for each file that was being read. Call it after a crash. */
export function blameFiles(db: DatabaseSync): void {
  db.exec(`
    INSERT INTO file_crashes (key, version, path, crashes) SELECT key, version, path, 1 FROM files_in_hand WHERE true
      ON CONFLICT (key, version, path) DO UPDATE SET crashes = crashes + 1;
    DELETE FROM files_in_hand;
    DELETE FROM file_crashes WHERE key NOT IN (SELECT key FROM libraries UNION SELECT key FROM jobs)`)
}

/** No file of the library is being read any more. Call it after a run that ended without a crash. */
export function releaseFiles(db: DatabaseSync, key: string): void {
  db.prepare('DELETE FROM files_in_hand WHERE key = ?').run(key)
}
