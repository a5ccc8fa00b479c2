import { dirname, sep } from 'node:path'
import { AppError } from '../errors.ts'
import { asFullDisk } from './full-disk.ts'
import { openFilesLimit } from './open-files.ts'
import { type PathProblem, pathProblem, sentenceOf, wholeSentence } from './path-problem.ts'

/** The error if this user cannot use a file or folder. Its path is only for callers with a key or session. */
export class UnusablePath extends AppError {
  constructor(message: string, cause: unknown) {
    super('data_damaged', message, { cause })
  }

  /** The same without the path. */
  get withoutPath(): AppError {
    return new AppError('data_damaged', 'Files of the server cannot be used. The log of the server names them.', { cause: this })
  }
}

/**
 * Converts an error of this machine to one that callers see: a full disk, a path that this user cannot use, or no free file descriptor.
 * Returns other errors unchanged. The command that helps is only named for paths below `dataDir`: other files are not ours to give away.
 */
export function asMachineError(thrown: unknown, dataDir?: string): unknown {
  const error = asFullDisk(thrown)
  if (error instanceof AppError)
    return error.code === 'cannot_start' && pathOf(error.cause) !== undefined ? new UnusablePath(error.message, error) : error
  if (isOutOfDescriptors(error)) return outOfDescriptors(error)
  const advice = pathAdvice(error, dataDir)
  return advice === undefined ? error : new UnusablePath(advice, error)
}

/** The reason why this user cannot use the path of an error, and for a path below `dataDir` the command that helps. Undefined for other errors. */
export function pathAdvice(error: unknown, dataDir?: string): string | undefined {
  const own = dataDir === undefined ? undefined : ownProblem(error, dataDir)
  if (own) return sentenceOf(own)
  const problem = problemOf(error)
  return problem && wholeSentence(problem.reason)
}

/** The problem of an error, if its path is `dataDir` or below it. */
export function ownProblem(error: unknown, dataDir: string): PathProblem | undefined {
  const problem = problemOf(error)
  return problem && `${problem.path}${sep}`.startsWith(`${dataDir}${sep}`) ? problem : undefined
}

const pathCodes = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ELOOP', 'EEXIST']

function pathOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'path' in error && typeof error.path === 'string')) return undefined
  return pathCodes.includes(String(error.code)) ? error.path : undefined
}

/** The problem with the path of an error. Undefined for other errors. */
export function problemOf(error: unknown): PathProblem | undefined {
  const path = pathOf(error)
  if (path === undefined) return undefined
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return syscall === 'mkdir' ? pathProblem(path, { kind: 'folder', writes: false }) : undefined
  // Others than `open` change the folder.
  if (syscall !== 'open' && syscall !== 'scandir' && syscall !== 'access') {
    const ofFolder = pathProblem(dirname(path), { kind: 'folder', writes: true })
    if (ofFolder) return ofFolder
  }
  const kind = code === 'EISDIR' ? 'file' : code === 'ENOTDIR' ? 'folder' : 'any'
  return (
    pathProblem(path, { kind, writes: false }) ??
    pathProblem(path, { kind, writes: true }) ??
    pathProblem(dirname(path), { kind: 'folder', writes: true })
  )
}

/** True for an error of Node, SQLite or LanceDB without a free file descriptor. */
const isOutOfDescriptors = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')) || /os error 2[34]\b/.test(error.message))

function outOfDescriptors(cause: unknown): AppError {
  const limit = openFilesLimit()
  const shown = limit === undefined ? '' : ` (now ${limit})`
  const message = `The server has no free file descriptor. Raise its limit of open files${shown} and restart it.`
  return new AppError('temporarily_unavailable', message, { cause, retry: 'limited' })
}
