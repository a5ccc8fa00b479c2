import { AppError } from '../../shared/errors.ts'

/** Names the field of a request that a validation_error of `read` is about. */
export function inField<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw ofField(path, error)
  }
}

/** The error with the field that it is about, if it is a validation_error. */
export function ofField(path: string, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'validation_error') return error
  const { message } = error
  return new AppError('validation_error', message, { cause: error, fields: { fields: [{ path, message }] } })
}
