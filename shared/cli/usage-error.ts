import { AppError } from '../errors.ts'

/** A command that is wrong regardless of the install. The program ends with exit code 2. */
export class UsageError extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super('validation_error', message, options)
    this.name = 'UsageError'
  }
}

/** Converts a validation_error about an argument to a usage error. Returns other errors unchanged. */
export const asUsageError = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'validation_error' ? new UsageError(error.message, { cause: error }) : error
