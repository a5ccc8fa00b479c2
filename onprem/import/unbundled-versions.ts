import type { ServedGeneration } from '../../shared/indexing/indexing-catalog.ts'
import { isLibraryId, type LibraryId, parseLibraryId, versionKey } from '../../shared/library.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'

/** The ids in a bundle, and the name of one part whose id is unreadable: it may be any version. */
export type Bundled = { keys: Set<string>; unreadable?: string }

/** `names` are ids as the bundle writes them. */
export function bundledBy(ids: LibraryId[], names: string[]): Bundled {
  const unreadable = names.find((each) => !isLibraryId(each))
  const keys = new Set([...ids, ...names.filter(isLibraryId).map(parseLibraryId)].map(versionKey))
  return { keys, ...(unreadable !== undefined && { unreadable }) }
}

/** The versions of a library that are missing from a bundle with its default content. */
export function unbundledVersions(
  catalog: Pick<InstallCatalog, 'versions'>,
  id: LibraryId,
  { keys }: Bundled,
): ServedGeneration[] {
  if (id.version !== undefined) return []
  return catalog
    .versions(id)
    .filter(({ version }) => version !== '' && !keys.has(versionKey({ ...id, version })))
    .map(({ version, generation }) => ({ version, generation }))
}
