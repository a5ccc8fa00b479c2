import type { DatabaseSync } from 'node:sqlite'
import { type LibraryId, libraryKey, parseLibraryId } from '../../../shared/library.ts'

/** Libraries and versions that are deleted but still stored, so that the deletion can be undone. */
export function hiddenLibraries(db: DatabaseSync) {
  const library = db.prepare('UPDATE libraries SET hidden_at = ? WHERE key = ?')
  const version = db.prepare('UPDATE versions SET hidden_at = ? WHERE key = ? AND version = ?')
  const all = db.prepare(`
    SELECT id, NULL AS version FROM libraries WHERE hidden_at IS NOT NULL
    UNION ALL SELECT id, version FROM libraries JOIN versions v USING (key) WHERE v.hidden_at IS NOT NULL`)
  const set = (id: LibraryId, hiddenAt: string | null): void => {
    if (id.version === undefined) library.run(hiddenAt, libraryKey(id))
    else version.run(hiddenAt, libraryKey(id), id.version)
  }
  return {
    hide: (id: LibraryId, at: Date) => set(id, at.toISOString()),
    show: (id: LibraryId) => set(id, null),
    list: (): LibraryId[] =>
      all
        .all()
        .map((row) => ({ ...parseLibraryId(String(row.id)), ...(typeof row.version === 'string' && { version: row.version }) })),
  }
}
