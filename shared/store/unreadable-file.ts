import { AppError } from '../errors.ts'

/** The error if an SQLite file cannot be opened. `advice` says what to do. */
export function unreadableFile(path: string, error: unknown, advice: string): AppError {
  const why = error instanceof Error ? error.message : String(error)
  return new AppError('cannot_start', `The file ${path} cannot be opened: ${why}. ${advice}`, { cause: error })
}
