import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises'
import { kill } from 'node:process'

/**
 * Ends the git processes of a killed server, which work below a folder, but not in the folders `inUse`. On a system without /proc they continue until they are done.
 */
export async function endOrphans(folder: string, inUse: ReadonlySet<string>): Promise<void> {
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
