import { AppError } from '../../shared/errors.ts'

/**
 * The format of items and objects that one function writes and another reads. Functions are not deployed at the same moment, and a worker may
 * run for hours, so every reader also reads the format before this one, and reports a newer one. Change a format in two deployments: one
 * that reads both, and then one that writes the new one.
 */
export const itemFormat = 1

/** Throws temporarily_unavailable for something that was written in a newer format. */
export function checkFormat(format: unknown, what: string): void {
  if (format === undefined || Number(format) <= itemFormat) return
  throw new AppError(
    'temporarily_unavailable',
    `${what} was written by a newer version of Carrel than this one. The service is being updated; try again in a few minutes.`,
    { retry: 'limited', retryAfterMs: 60_000 },
  )
}
