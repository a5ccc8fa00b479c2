import { AppError } from '../errors.ts'

const SQLITE_FULL = 13
const SQLITE_IOERR = 10
/** Extended codes of SQLITE_IOERR from writing: WRITE, FSYNC, DIR_FSYNC, TRUNCATE, SHMOPEN, SHMSIZE, SHMMAP. */
const failedWrites = [3, 4, 5, 6, 18, 19, 21].map((kind) => SQLITE_IOERR | (kind << 8))

/** True for an error of Node, SQLite, git or LanceDB that says that the disk has no room or cannot be written. */
export function isFullDisk(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof AppError) return false
  if ('code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) return true
  if ('errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_FULL) return true
  return isFailedWrite(error) || /No space left on device|disk is full|os error 28/i.test(error.message)
}

/** The error that callers are shown. `outcome` says what was kept and what to do after making room. */
export const fullDisk = (outcome: string, cause: unknown): AppError =>
  new AppError('disk_full', `The disk of DATA_DIR is full${isFailedWrite(cause) ? ' or cannot be written' : ''}. ${outcome}`, {
    cause,
  })

const nothingChanged = 'Nothing was changed; make room and try again.'

/** Converts a full disk to an error that callers see, with the message of an AppError that it caused. Returns other errors unchanged. */
export function asFullDisk(error: unknown): unknown {
  if (isFullDisk(error)) return fullDisk(nothingChanged, error)
  const isCause = error instanceof AppError && isFullDisk(error.cause)
  return isCause ? new AppError('disk_full', error.message, { cause: error }) : error
}

const isFailedWrite = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && failedWrites.includes(Number(error.errcode))
