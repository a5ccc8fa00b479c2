import type { DatabaseSync } from 'node:sqlite'
import type { ServedGeneration } from '../../../shared/indexing/indexing-catalog.ts'
import { type LibraryId, libraryKey, versionName } from '../../../shared/library.ts'
import { deleteUsage } from '../counters/delete-usage.ts'
import type { CatalogGenerations } from './catalog-generations.ts'
import type { CatalogVersions } from './catalog-versions.ts'

type RemovePorts = {
  db: DatabaseSync
  generations: Pick<CatalogGenerations, 'retire'>
  stored: Pick<CatalogVersions, 'settings' | 'versions' | 'served'>
}

/**
 * Removes a library, or the version that the id pins. Runs in the caller's transaction. Returns the generations that no version serves any more; of
 * a library also those that its ended jobs have left.
 */
export function removeFromCatalog(ports: RemovePorts, id: LibraryId): string[] {
  const { db, generations, stored } = ports
  const key = libraryKey(id)
  const removed = stored.versions(key).filter(({ version }) => id.version === undefined || version === id.version)
  if (id.version === undefined) {
    db.prepare('DELETE FROM libraries WHERE key = ?').run(key)
    db.prepare('DELETE FROM repositories WHERE key = ?').run(key)
    db.prepare('DELETE FROM file_crashes WHERE key = ?').run(key)
    db.prepare('DELETE FROM llm_answers WHERE key = ?').run(key)
    db.prepare('DELETE FROM library_checks WHERE key = ?').run(key)
    db.prepare('DELETE FROM feedback WHERE key = ?').run(key)
    deleteUsage(db, key)
  } else {
    deleteVersion(db, key, id.version)
    markUnwanted(ports, key, id.version)
  }
  const retired = [...new Set(removed.map(({ generation }) => generation))].filter(generations.retire)
  return id.version === undefined ? [...new Set([...retired, ...leftBy(db, key)])] : retired
}

/** The generations of the jobs of a library, whose number is in their names. */
const leftBy = (db: DatabaseSync, key: string): string[] =>
  db
    .prepare(
      "SELECT g.name FROM generations g JOIN jobs j ON j.id = CAST(substr(g.name, 2, instr(g.name, '-') - 2) AS INTEGER) WHERE j.library = ?",
    )
    .all(key)
    .map(({ name }) => String(name))

/** Removes the versions that still serve these generations. Runs in the caller's transaction. */
export function removeServed({ db, generations, stored }: RemovePorts, key: string, versions: ServedGeneration[]): void {
  for (const { version, generation } of versions) {
    if (stored.served(key, version)?.generation !== generation) continue
    deleteVersion(db, key, version)
    generations.retire(generation)
  }
}

function deleteVersion(db: DatabaseSync, key: string, version: string): void {
  db.prepare('DELETE FROM versions WHERE key = ? AND version = ?').run(key, version)
  db.prepare('DELETE FROM file_crashes WHERE key = ? AND version = ?').run(key, version)
  db.prepare('DELETE FROM llm_answers WHERE key = ? AND version = ?').run(key, version)
  deleteUsage(db, key, version)
}

/** Keeps a refresh from adding a deleted version again. */
function markUnwanted({ db, stored }: RemovePorts, key: string, version: string): void {
  const settings = stored.settings(key)
  const versions = settings.versions?.filter((ref) => versionName(ref) !== version)
  const unwanted = [...new Set([...(settings.unwanted ?? []), version])]
  db.prepare('UPDATE libraries SET settings = ? WHERE key = ?').run(JSON.stringify({ ...settings, versions, unwanted }), key)
}
