import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry'
import { AppError } from '../../shared/errors.ts'
import { TimeoutError } from '../../shared/time/with-timeout.ts'

const retryAfterMs = 5_000

/** An error of a service of AWS that is slow, throttled or down as temporarily_unavailable. Any other error is returned as it is. */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError || !isPassing(error)) return error
  return new AppError('temporarily_unavailable', 'A store of the service does not respond. Try again in a few seconds.', {
    cause: error,
    retry: 'limited',
    retryAfterMs,
  })
}

const isPassing = (error: Error): boolean =>
  error instanceof TimeoutError ||
  error.name === 'TimeoutError' ||
  isThrottlingError(error as never) ||
  isTransientError(error as never) ||
  isServerError(error as never)
