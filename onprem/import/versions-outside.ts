import { isLibraryId, type LibraryId, libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { HeldVersion } from '../store/job.ts'
import type { ProjectCatalog } from '../store/sqlite-catalog.ts'

/** What a bundle holds: its ids, and the name of one part whose id cannot be read, which may be any version. */
export type Bundled = { ids: Set<string>; unknown?: string }

/** Versions are case-sensitive, owner and repo are not. */
const keyOf = (id: LibraryId): string => `${libraryKey(id)}@${id.version ?? ''}`

export function bundledBy(names: string[]): Bundled {
  const unknown = names.find((each) => !isLibraryId(each))
  const ids = new Set(names.filter(isLibraryId).map((each) => keyOf(parseLibraryId(each))))
  return { ids, ...(unknown !== undefined && { unknown }) }
}

/** The versions of a library that a bundle with its default content does not hold. */
export function versionsOutside(catalog: Pick<ProjectCatalog, 'versions'>, id: LibraryId, { ids }: Bundled): HeldVersion[] {
  if (id.version !== undefined) return []
  return catalog
    .versions(id)
    .filter(({ version }) => version !== '' && !ids.has(keyOf({ ...id, version })))
    .map(({ version, generation }) => ({ version, generation }))
}
