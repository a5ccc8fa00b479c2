import { accessSync, constants, lstatSync, readlinkSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { shellWord } from '../text/shell-word.ts'

/** The rights that a process needs for a path. */
export type PathUse = { kind: 'file' | 'folder' | 'any'; writes: boolean }

/** `reason` is the end of a sentence that names the path, its owner and this user. `help` is a sentence with the command that helps, if there is one. */
export type PathProblem = { path: string; reason: string; help: string }

/** The problem as a sentence, and another with what to do. */
export const sentenceOf = ({ reason, help }: PathProblem): string => `${wholeSentence(reason)} ${help}`

export const wholeSentence = (reason: string): string => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`

/** The reason why this user cannot use a path, or a folder above it. Undefined if the user can, or if nothing is there yet. */
export function pathProblem(path: string, use: PathUse): PathProblem | undefined {
  let stats: Stats
  try {
    stats = statSync(path)
  } catch (error) {
    return unreachable(path, codeOf(error))
  }
  const kind = stats.isDirectory() ? 'folder' : 'file'
  if (use.kind !== 'any' && use.kind !== kind)
    return { path, reason: `${path} is a ${kind}, but must be a ${use.kind}`, help: `Run: ${moveAway(path)}` }
  try {
    accessSync(path, constants.R_OK | (use.writes ? constants.W_OK : 0) | (kind === 'folder' ? constants.X_OK : 0))
    return undefined
  } catch (error) {
    return inaccessible(path, kind, stats, codeOf(error), use.writes ? 'write to' : 'read')
  }
}

function unreachable(path: string, code: string | undefined): PathProblem | undefined {
  if (code === 'EACCES') return pathProblem(dirname(path), { kind: 'folder', writes: false })
  if (code === 'ENOTDIR') return pathProblem(dirname(path), { kind: 'folder', writes: false })
  if (code === 'ELOOP') return { path, reason: `${path} is a link to itself`, help: `Run: ${moveAway(path)}` }
  const isLink = code === 'ENOENT' && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
  return isLink ? withoutTarget(path) : undefined
}

/** Never advises to move the link away: the data may be on a disk that is not mounted. */
function withoutTarget(path: string): PathProblem {
  const target = resolve(dirname(path), readlinkSync(path))
  return {
    path,
    reason: `${path} is a link whose target does not exist`,
    help: `Mount the disk of ${target}, or create that folder.`,
  }
}

function inaccessible(path: string, kind: string, stats: Stats, code: string | undefined, action: string): PathProblem {
  const name = `the ${kind} ${path}`
  if (code === 'EROFS') return { path, reason: `${name} is on a read-only file system`, help: 'Mount it writable.' }
  if (code === 'EPERM')
    return { path, reason: `${name} is protected against changes`, help: `Run: sudo chattr -R -i ${shellWord(path)}` }
  const own = process.getuid?.()
  const mode = (stats.mode & 0o777).toString(8).padStart(3, '0')
  if (own === stats.uid) {
    const reason = `${name} belongs to this user (uid ${own}), who cannot ${action} it because its mode is ${mode}`
    return { path, reason, help: `Run: chmod -R u+rwX ${shellWord(path)}` }
  }
  const reason = `${name} belongs to another user (uid ${stats.uid}, mode ${mode}), and this one (uid ${own}) cannot ${action} it`
  const help = own === 0 ? `Run Carrel as the user with uid ${stats.uid}.` : `Run: ${giveToThisUser(path)}`
  return { path, reason, help }
}

/** The command with which an admin gives a path to the user of this process. */
export const giveToThisUser = (path: string): string =>
  `sudo chown -R ${process.getuid?.()}:${process.getgid?.()} ${shellWord(path)}`

const moveAway = (path: string): string => `mv ${shellWord(path)} ${shellWord(`${path}.old`)}`

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined
