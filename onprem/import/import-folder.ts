import { randomBytes } from 'node:crypto'
import { access, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../shared/log.ts'
import { privateFolder } from '../../shared/store/data-dir.ts'

/** What of an import waits on disk: uploads, and elements for their jobs. */
export type ImportFolder = {
  pathOf(name: string): string
  /** A name that nobody has: what lies under it is nobody else's and is not swept until it is left or discarded. */
  claim(): string
  /** It belongs to a job by now. */
  leave(name: string): void
  /** Deletes what is claimed; what was left is its job's. */
  discard(name: string): Promise<void>
  /** Deletes what ended jobs have left. */
  remove(names: string[]): Promise<void>
  has(name: string): Promise<boolean>
  /** Deletes what no upload under way has claimed and no job owns. */
  sweep(): Promise<void>
}

/** `owned` names what belongs to jobs. */
export function importFolder(folder: string, owned: () => Set<string>, log: Log): ImportFolder {
  privateFolder(folder)
  const claimed = new Set<string>()
  const pathOf = (name: string) => join(folder, name)
  const remove = (name: string) =>
    rm(pathOf(name), { recursive: true, force: true }).catch((error: unknown) =>
      log.warn({ error, name }, 'what waited for an import cannot be deleted yet'),
    )
  return {
    pathOf,
    claim() {
      const name = randomBytes(8).toString('hex')
      claimed.add(name)
      return name
    },
    leave: (name) => void claimed.delete(name),
    async discard(name) {
      if (!claimed.has(name)) return
      await remove(name)
      claimed.delete(name)
    },
    async remove(names) {
      for (const name of names) await remove(name)
    },
    has: (name) =>
      access(pathOf(name)).then(
        () => true,
        () => false,
      ),
    async sweep() {
      const names = await readdir(folder)
      // Asked after the listing, and all at once: what was claimed then is a job's by now, and goes on to become one meanwhile.
      const kept = owned()
      for (const name of names.filter((each) => !claimed.has(each) && !kept.has(each))) await remove(name)
    },
  }
}
