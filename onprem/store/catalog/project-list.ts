import type { Project, ProjectRows } from './project.ts'

export type ProjectList = {
  /** All libraries, ordered by id. The same list until a library changes; callers must not modify it. */
  list(): Project[]
  changed(key: string): void
}

/** All libraries in memory. Reads them once, then only those that change. */
export function projectList(rows: ProjectRows): ProjectList {
  let listed: Project[] | undefined
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

function updated(listed: Project[], keys: ReadonlySet<string>, rows: ProjectRows): Project[] {
  const copy = [...listed]
  for (const key of keys) {
    const project = rows.get(key)
    const at = indexOfKey(copy, key)
    const found = copy[at]
    const isListed = found !== undefined && keyOf(found) === key
    copy.splice(at, isListed ? 1 : 0, ...(project ? [project] : []))
  }
  return copy
}

/** Index of the first library whose key is not smaller. */
function indexOfKey(listed: Project[], key: string): number {
  let from = 0
  let to = listed.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (keyOf(listed[middle] as Project) < key) from = middle + 1
    else to = middle
  }
  return from
}

const keyOf = ({ id }: Project): string => id.toLowerCase()
const byKey = (a: Project, b: Project): number => (keyOf(a) < keyOf(b) ? -1 : 1)
