import { dirname } from 'node:path'
import { AppError } from '../errors.ts'
import { type PathProblem, pathProblem } from '../system/path-problem.ts'

/** The error if an SQLite file cannot be opened. `advice` says what to do unless this user cannot use the file. */
export function unreadableFile(path: string, error: unknown, advice: string): AppError {
  const message = `The file ${path} cannot be opened: ${whyUnreadable(path, error, advice)}`
  return new AppError('cannot_start', message, { cause: error })
}

/** The end of a sentence about an SQLite file that cannot be opened, and `advice`, or the command that helps. */
export function whyUnreadable(path: string, error: unknown, advice: string): string {
  const problem = fileProblem(path)
  if (problem) return `${problem.reason}. ${problem.help}`
  return `${error instanceof Error ? error.message : String(error)}.${advice === '' ? '' : ` ${advice}`}`
}

/** SQLite does not say which file it cannot open: the database, its log or the index of that. */
const fileProblem = (path: string): PathProblem | undefined =>
  [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]
    .map((each) => pathProblem(each, { kind: 'file', writes: true }))
    .find((problem) => problem !== undefined) ?? pathProblem(dirname(path), { kind: 'folder', writes: true })
