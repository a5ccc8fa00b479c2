import type { InstallLibrary, LibraryRows } from './install-library.ts'

export type LibraryList = {
  /** All libraries, ordered by id. The same list until a library changes; callers must not modify it. */
  list(): InstallLibrary[]
  changed(key: string): void
}

/** All libraries in memory. Reads them once, then only those that change. */
export function libraryList(rows: LibraryRows): LibraryList {
  let listed: InstallLibrary[] | undefined
  const stale = new Set<string>()
  return {
    list() {
      if (!listed) listed = rows.all().sort(byKey)
      else if (stale.size > 0) listed = updated(listed, stale, rows)
      stale.clear()
      return listed
    },
    changed: (key) => void stale.add(key),
  }
}

function updated(listed: InstallLibrary[], keys: ReadonlySet<string>, rows: LibraryRows): InstallLibrary[] {
  const copy = [...listed]
  for (const key of keys) {
    const library = rows.get(key)
    const at = indexOfKey(copy, key)
    const current = copy[at]
    const isListed = current !== undefined && keyOf(current) === key
    copy.splice(at, isListed ? 1 : 0, ...(library ? [library] : []))
  }
  return copy
}

/** Index of the first library whose key is not smaller. */
function indexOfKey(listed: InstallLibrary[], key: string): number {
  let from = 0
  let to = listed.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (keyOf(listed[middle] as InstallLibrary) < key) from = middle + 1
    else to = middle
  }
  return from
}

const keyOf = ({ id }: InstallLibrary): string => id.toLowerCase()
const byKey = (a: InstallLibrary, b: InstallLibrary): number => (keyOf(a) < keyOf(b) ? -1 : 1)
