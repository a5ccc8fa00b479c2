import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises'
import { kill } from 'node:process'

/**
 * Ends the git processes that work below a folder: those of a server that was killed. Where the system has no /proc they go on until
 * they are done.
 */
export async function endOrphans(folder: string): Promise<void> {
  const below = `${await realpath(folder)}/`
  const names = await readdir('/proc').catch((): string[] => [])
  for (const pid of names.filter((name) => /^\d+$/.test(name))) {
    if (await isGitBelow(below, pid).catch(() => false)) end(Number(pid))
  }
}

async function isGitBelow(below: string, pid: string): Promise<boolean> {
  const cwd = await readlink(`/proc/${pid}/cwd`)
  if (!cwd.startsWith(below) || !(await readFile(`/proc/${pid}/comm`, 'utf8')).startsWith('git')) return false
  // In a container of its own another server may have another folder of this name.
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
