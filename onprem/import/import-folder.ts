import { randomBytes } from 'node:crypto'
import { access, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { privateFolder } from '../../shared/store/open-data-dir.ts'
import { isStagedName } from '../store/jobs/staged-imports.ts'

/** The staged data of imports: uploads, and elements for jobs. */
export type ImportFolder = {
  pathOf(name: string): string
  /** Returns a new name. Its data is not swept until a job owns it or it is discarded. */
  claim(): string
  /** Hands the data over to a job. */
  handOver(name: string): void
  /** Deletes claimed data that no job owns. */
  discard(name: string): Promise<void>
  /** Deletes the data of ended jobs. */
  remove(names: string[]): Promise<void>
  has(name: string): Promise<boolean>
  /** Keeps data until `work` ends, even if its job ends earlier. */
  hold(names: readonly string[], work: Promise<unknown>): void
  /** Deletes data that neither an unfinished upload has claimed nor a job owns. */
  sweep(): Promise<void>
}

/** `owned` returns the names that belong to jobs. */
export function importFolder(folder: string, owned: () => Set<string>, log: Log): ImportFolder {
  privateFolder(folder)
  const claimed = new Set<string>()
  const holds = new Set<readonly string[]>()
  const isHeld = (name: string) => [...holds].some((names) => names.includes(name))
  // A restored database may hold any name.
  const pathOf = (name: string) => {
    if (!isStagedName(name))
      throw new AppError('validation_error', 'The name of the imported data is invalid. Import the bundle again.')
    return join(folder, name)
  }
  const remove = (name: string) =>
    rm(join(folder, name), { recursive: true, force: true }).catch((error: unknown) =>
      log.warn({ error, name }, 'staged import data cannot be deleted yet'),
    )
  return {
    pathOf,
    claim() {
      const name = randomBytes(8).toString('hex')
      claimed.add(name)
      return name
    },
    handOver: (name) => void claimed.delete(name),
    async discard(name) {
      if (!claimed.has(name)) return
      await remove(name)
      claimed.delete(name)
    },
    async remove(names) {
      for (const name of names.filter(isStagedName)) if (!isHeld(name)) await remove(name)
    },
    hold(names, work) {
      const release = () => holds.delete(names)
      holds.add(names)
      work.then(release, release)
    },
    has: async (name) =>
      isStagedName(name) &&
      access(pathOf(name)).then(
        () => true,
        () => false,
      ),
    async sweep() {
      const names = await readdir(folder)
      // The names are read after the listing and in one step, because claimed data can become a job's at any time.
      const ownedNames = owned()
      for (const name of names.filter((each) => !claimed.has(each) && !ownedNames.has(each) && !isHeld(each))) await remove(name)
    },
  }
}
