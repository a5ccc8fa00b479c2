import { AppError } from '../errors.ts'

/** What a server says that cannot open one of its files of SQLite; `advice` is what to do about it. */
export function unreadableFile(path: string, error: unknown, advice: string): AppError {
  const why = error instanceof Error ? error.message : String(error)
  return new AppError('internal_error', `The file ${path} cannot be opened: ${why}. ${advice}`, { cause: error })
}
