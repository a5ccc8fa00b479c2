import { libraryKey, parseLibraryId, printLibraryId } from '../../shared/library.ts'
import type { App } from '../app.ts'
import type { QueueAnswer } from './queue-elements.ts'

type Ports = Pick<App, 'catalog' | 'jobs'>

/** Versions are case-sensitive, owner and repo are not. */
const keyOf = (project: string): string => project.replace(/^\/[^/]+\/[^/@]+/, (name) => name.toLowerCase())

/**
 * Has the versions that a forced bundle does not hold removed together with the default content that it replaces, so that the old content is
 * served until the new is complete. Returns their ids.
 */
export function removeOthers({ catalog, jobs }: Ports, force: boolean, { queued, skipped }: QueueAnswer): string[] {
  if (!force) return []
  const bundled = new Set([...queued, ...skipped.map(({ project }) => project)].map(keyOf))
  return queued.flatMap((project) => {
    const id = parseLibraryId(project)
    if (id.version !== undefined) return []
    const { owner, repo } = id
    const idOf = (version: string) => printLibraryId({ owner, repo, version })
    const others = catalog
      .versions(id)
      .filter(({ version }) => version !== '' && !bundled.has(keyOf(idOf(version))))
      .map(({ version, generation }) => ({ version, generation }))
    if (others.length === 0) return []
    // A small library may be imported before the rest of its bundle is unpacked.
    if (jobs.importRemoves(libraryKey(id), others) === 'done') catalog.removeVersions(id, others)
    return others.map(({ version }) => idOf(version))
  })
}
