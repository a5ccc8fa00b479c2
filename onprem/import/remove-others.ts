import { isLibraryId, type LibraryId, libraryKey, parseLibraryId, printLibraryId } from '../../shared/library.ts'
import type { App } from '../app.ts'
import type { QueueAnswer } from './queue-elements.ts'

type Ports = Pick<App, 'catalog' | 'jobs'>

export type Removed = { removed: string[]; note?: string }

/** Versions are case-sensitive, owner and repo are not. */
const keyOf = (id: LibraryId): string => `${libraryKey(id)}@${id.version ?? ''}`

/**
 * Has the versions that a forced bundle does not hold removed together with the default content that it replaces, so that the old content is
 * served until the new is complete. A skipped part without a readable id may be any version: then nothing is removed, and the note says so.
 */
export function removeOthers({ catalog, jobs }: Ports, force: boolean, { queued, skipped }: QueueAnswer): Removed {
  if (!force) return { removed: [] }
  const names = [...queued, ...skipped.map(({ project }) => project)]
  const unknown = names.find((each) => !isLibraryId(each))
  const bundled = new Set(names.filter(isLibraryId).map((each) => keyOf(parseLibraryId(each))))
  const removed: string[] = []
  for (const project of queued) {
    const id = parseLibraryId(project)
    if (id.version !== undefined) continue
    const others = catalog
      .versions(id)
      .filter(({ version }) => version !== '' && !bundled.has(keyOf({ ...id, version })))
      .map(({ version, generation }) => ({ version, generation }))
    if (others.length === 0) continue
    if (unknown !== undefined)
      return { removed: [], note: `Old versions are kept, because the id of "${unknown}" cannot be read.` }
    // A small library may be imported before the rest of its bundle is unpacked.
    if (jobs.importRemoves(libraryKey(id), others) === 'done') catalog.removeVersions(id, others)
    removed.push(...others.map(({ version }) => printLibraryId({ ...id, version })))
  }
  return { removed }
}
