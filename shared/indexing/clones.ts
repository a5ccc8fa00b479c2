import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, readlink, realpath, rename, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { kill } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { removeTree } from '../reading/git/remove-tree.ts'
import type { JobId } from './indexing-catalog.ts'

/** The folder for clones. The next start removes the remains of a killed server. */
export type Clones = {
  /** A new folder for one run of a job. */
  make(job: JobId): Promise<string>
  /** Renames a folder immediately and deletes its files in the background. */
  discard(folder: string): Promise<void>
  /** Starts deleting the remains of a killed server, and ends the git processes that outlived it. A run that has begun keeps its folder. */
  empty(): Promise<void>
  /** Waits for pending deletions. The next start deletes the rest. */
  close(): Promise<void>
}

const firstPauseMs = 100
const maxPauseMs = 60_000

export function openClones(folder: string, log: Log): Clones {
  const removals = new Set<Promise<void>>()
  const inUse = new Set<string>()
  const closing = new AbortController()
  /** Retries until the folder is gone, since a process may still write there. */
  const untilGone = async (path: string) => {
    for (let tries = 0; ; tries++) {
      try {
        return await removeTree(path)
      } catch (error) {
        if (tries === 0) log.warn({ error, folder: path }, 'a clone cannot be deleted yet and is tried again')
      }
      if (closing.signal.aborted) return
      const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** tries)
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }
  const remove = (path: string) => {
    const removal: Promise<void> = untilGone(path).finally(() => removals.delete(removal))
    removals.add(removal)
  }
  return {
    async make(job) {
      const made = join(folder, `${job}-${randomBytes(4).toString('hex')}`)
      inUse.add(basename(made))
      await mkdir(made, { recursive: true, mode: 0o700 })
      return made
    },
    async discard(path) {
      inUse.delete(basename(path))
      const gone = join(folder, `gone-${randomBytes(8).toString('hex')}`)
      const moved = await rename(path, gone).then(
        () => gone,
        () => path,
      )
      remove(moved)
    },
    async empty() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await endOrphans(folder, inUse)
      for (const name of await readdir(folder)) if (!inUse.has(name)) remove(join(folder, name))
    },
    async close() {
      closing.abort()
      await Promise.all(removals)
    },
  }
}

/**
 * Ends the git processes of a killed server, which work below a folder, but not in the folders `inUse`. On a system without /proc they continue until they are done.
 */
async function endOrphans(folder: string, inUse: ReadonlySet<string>): Promise<void> {
  const below = `${await realpath(folder)}/`
  const names = await readdir('/proc').catch((): string[] => [])
  for (const pid of names.filter((name) => /^\d+$/.test(name))) {
    if (await isOrphan(below, pid, inUse).catch(() => false)) end(Number(pid))
  }
}

async function isOrphan(below: string, pid: string, inUse: ReadonlySet<string>): Promise<boolean> {
  const cwd = await readlink(`/proc/${pid}/cwd`)
  if (!cwd.startsWith(below) || !(await readFile(`/proc/${pid}/comm`, 'utf8')).startsWith('git')) return false
  if (inUse.has(cwd.slice(below.length).split('/', 1)[0] ?? '')) return false
  // A server in another container may have another folder with the same path.
  const [theirs, ours] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(cwd)])
  return theirs.dev === ours.dev && theirs.ino === ours.ino
}

function end(pid: number): void {
  try {
    kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
