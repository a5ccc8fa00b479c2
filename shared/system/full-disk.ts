import { AppError } from '../errors.ts'

const SQLITE_FULL = 13

/** True for an error of Node, SQLite, git or LanceDB that says that the disk has no room. */
export function isFullDisk(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof AppError) return false
  if ('code' in error && error.code === 'ENOSPC') return true
  if ('errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_FULL) return true
  return /No space left on device|disk is full|os error 28/i.test(error.message)
}

/** The error that callers are shown. `outcome` says what was kept and what to do after making room. */
export const fullDisk = (outcome: string, cause: unknown): AppError =>
  new AppError('internal_error', `The disk of DATA_DIR is full. ${outcome}`, { cause, shown: true })
