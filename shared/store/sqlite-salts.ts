import { getRandomValues } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { utcDay } from '../time/utc-day.ts'
import type { Salts } from '../usage/salts.ts'
import { unreadableFile } from './unreadable-file.ts'

const busyTimeoutMs = 30

/** Salts in a separate file without traces of deleted ones: SQLite overwrites them and keeps no log. */
export function sqliteSalts(path: string, now: () => Date): Salts & { close(): void } {
  const db = open(path)
  const select = db.prepare('SELECT salt FROM salt WHERE day = ?')
  const insert = db.prepare('INSERT INTO salt VALUES (?, ?) ON CONFLICT DO NOTHING')
  const deleteBefore = db.prepare('DELETE FROM salt WHERE day < ?')
  const deleteUpTo = db.prepare('DELETE FROM salt WHERE day <= ?')
  const saltsByDay = new Map<string, Uint8Array>()

  function stored(day: string): Uint8Array {
    const salt = () => select.get(day)?.salt as Uint8Array | undefined
    const before = salt()
    if (before !== undefined) return before
    insert.run(day, getRandomValues(new Uint8Array(32)))
    return salt() as Uint8Array
  }

  return {
    async saltOf(day) {
      const salt = saltsByDay.get(day) ?? stored(day)
      saltsByDay.set(day, salt)
      return salt
    },
    async makeAhead() {
      stored(utcDay(now(), 1))
    },
    async forgetOld() {
      const oldest = utcDay(now(), -1)
      for (const day of saltsByDay.keys()) if (day < oldest) saltsByDay.delete(day)
      deleteBefore.run(oldest)
    },
    async erase() {
      saltsByDay.clear()
      deleteUpTo.run(utcDay(now()))
    },
    close: () => db.close(),
  }
}

function open(path: string): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    closeSync(openSync(path, 'a', 0o600))
    db = new DatabaseSync(path, { timeout: busyTimeoutMs })
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA secure_delete = ON')
    db.exec('CREATE TABLE IF NOT EXISTS salt (day TEXT PRIMARY KEY, salt BLOB NOT NULL) WITHOUT ROWID')
    return db
  } catch (error) {
    db?.close()
    throw unreadableFile(path, error, 'Delete it. Only the users of today are counted again.')
  }
}
