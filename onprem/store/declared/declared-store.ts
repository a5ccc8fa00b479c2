import type { DatabaseSync } from 'node:sqlite'
import { type LibraryId, libraryKey, parseLibraryId, printLibraryId } from '../../../shared/library.ts'

/** The origin of a declaration: a file that an admin has applied, or the followed repository. */
export type DeclaredBy = 'file' | 'git'

export type DeclaredLibrary = {
  id: LibraryId
  by: DeclaredBy
  /** The entry as JSON, with the defaults of its file. */
  entry: string
  line: number
  /** False if the file no longer names it. */
  named: boolean
}

export type DeclaredSetting = { name: string; by: DeclaredBy; value: unknown; line: number }

/** The libraries and settings that a file declares. */
export type DeclaredStore = {
  libraries(): DeclaredLibrary[]
  library(id: LibraryId): DeclaredLibrary | undefined
  settings(): DeclaredSetting[]
  putLibrary(library: DeclaredLibrary): void
  forgetLibrary(id: LibraryId): void
  /** Replaces all settings of `by`, and takes those that another file declared before. */
  putSettings(by: DeclaredBy, settings: Omit<DeclaredSetting, 'by'>[]): void
  /** Forgets what `by` declares; libraries and settings stay as they are. */
  release(by: DeclaredBy): void
}

export function declaredStore(db: DatabaseSync): DeclaredStore {
  const columns = 'id, by, entry, line, named'
  const all = db.prepare(`SELECT ${columns} FROM declared_libraries ORDER BY key`)
  const one = db.prepare(`SELECT ${columns} FROM declared_libraries WHERE key = ?`)
  const settings = db.prepare('SELECT name, by, value, line FROM declared_settings ORDER BY name')
  const putLibrary = db.prepare(
    'INSERT OR REPLACE INTO declared_libraries (key, id, by, entry, line, named) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const putSetting = db.prepare('INSERT OR REPLACE INTO declared_settings (name, by, value, line) VALUES (?, ?, ?, ?)')
  return {
    libraries: () => all.all().map(toLibrary),
    library(id) {
      const row = one.get(libraryKey(id))
      return row && toLibrary(row)
    },
    settings: () =>
      settings.all().map(({ name, by, value, line }) => ({
        name: String(name),
        by: by as DeclaredBy,
        value: JSON.parse(String(value)) as unknown,
        line: Number(line),
      })),
    putLibrary({ id, by, entry, line, named }) {
      putLibrary.run(libraryKey(id), printLibraryId(id), by, entry, line, named ? 1 : 0)
    },
    forgetLibrary(id) {
      db.prepare('DELETE FROM declared_libraries WHERE key = ?').run(libraryKey(id))
    },
    putSettings(by, declared) {
      db.prepare('DELETE FROM declared_settings WHERE by = ?').run(by)
      for (const { name, value, line } of declared) putSetting.run(name, by, JSON.stringify(value), line)
    },
    release(by) {
      for (const table of ['declared_libraries', 'declared_settings']) db.prepare(`DELETE FROM ${table} WHERE by = ?`).run(by)
    },
  }
}

const toLibrary = ({ id, by, entry, line, named }: Record<string, unknown>): DeclaredLibrary => ({
  id: parseLibraryId(String(id)),
  by: by as DeclaredBy,
  entry: String(entry),
  line: Number(line),
  named: named === 1,
})
