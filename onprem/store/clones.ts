import { randomBytes } from 'node:crypto'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../../shared/ingest/git/remove-tree.ts'
import type { Log } from '../../shared/log.ts'

/** The folder that repositories are cloned into. What stays there when a server dies is removed by the next start. */
export type Clones = {
  /** A new folder for one run of a job. */
  make(job: number): Promise<string>
  /** Takes a folder out of the way at once; its files are deleted meanwhile. */
  discard(folder: string): Promise<void>
  /** Deletes everything. */
  empty(): Promise<void>
  /** Resolves when what was discarded until now is deleted. */
  settled(): Promise<void>
}

export function clonesIn(folder: string, log: Log): Clones {
  const leaving = new Set<Promise<void>>()
  const remove = (path: string) =>
    removeTree(path).catch((error: unknown) => log.warn({ error, folder: path }, 'a clone cannot be removed yet'))
  return {
    async make(job) {
      const made = join(folder, `${job}-${randomBytes(4).toString('hex')}`)
      await mkdir(made, { recursive: true, mode: 0o700 })
      return made
    },
    async discard(path) {
      const gone = join(folder, `gone-${randomBytes(8).toString('hex')}`)
      const moved = await rename(path, gone).then(
        () => gone,
        () => path,
      )
      const removal: Promise<void> = remove(moved).finally(() => leaving.delete(removal))
      leaving.add(removal)
    },
    async empty() {
      await remove(folder)
      await mkdir(folder, { recursive: true, mode: 0o700 })
    },
    async settled() {
      await Promise.all(leaving)
    },
  }
}
