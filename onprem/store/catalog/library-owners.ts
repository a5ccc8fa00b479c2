import type { DatabaseSync } from 'node:sqlite'
import { type LibraryId, libraryKey } from '../../../shared/library.ts'

/** The owner of each library. A library that an anonymous caller or the install added has no owner. */
export type LibraryOwners = {
  of(id: LibraryId): string | undefined
  set(id: LibraryId, owner: string): void
  forget(id: LibraryId): void
}

export function libraryOwners(db: DatabaseSync): LibraryOwners {
  const find = db.prepare('SELECT owner FROM library_owners WHERE key = ?')
  const store = db.prepare('INSERT OR REPLACE INTO library_owners (key, owner) VALUES (?, ?)')
  const remove = db.prepare('DELETE FROM library_owners WHERE key = ?')
  // First parses that failed, and whose jobs are no longer kept.
  const sweep = db.prepare(
    'DELETE FROM library_owners WHERE key NOT IN (SELECT key FROM libraries) AND key NOT IN (SELECT library FROM jobs WHERE library IS NOT NULL)',
  )
  return {
    of: (id) => find.get(libraryKey(id))?.owner as string | undefined,
    set(id, owner) {
      sweep.run()
      store.run(libraryKey(id), owner)
    },
    forget: (id) => void remove.run(libraryKey(id)),
  }
}
