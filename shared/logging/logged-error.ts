import { AppError } from '../errors.ts'

type LoggedError = { type: string; code?: unknown; message: string; causes?: string[]; stack?: string }

const maxCauses = 5

/**
 * An error as a log shows it. Only bugs have stack frames: an AppError or an error of the operating system says what a person can change.
 * A value that is not an Error, such as an error that was redacted before, stays as it is.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const chain = causesOf(error)
  const shown = { ...describe(error), ...withCauses(error, chain) }
  return isExpected(error) ? shown : { ...shown, stack: [error, ...chain].map(({ stack }) => stack ?? '').join('\ncaused by: ') }
}

const describe = (error: Error): LoggedError => ({
  type: error.name,
  ...('code' in error ? { code: error.code } : {}),
  message: error.message,
})

/** Messages that an outer message already contains are omitted. */
function withCauses(error: Error, chain: Error[]): { causes?: string[] } {
  const causes: string[] = []
  for (const { message } of chain)
    if (message !== '' && ![error.message, ...causes].some((outer) => outer.includes(message))) causes.push(message)
  return causes.length === 0 ? {} : { causes }
}

/** False for bugs. */
export const isExpected = (error: unknown): boolean => error instanceof AppError || (error instanceof Error && 'syscall' in error)

/** The causes, outermost first, and the errors of an AggregateError. */
function causesOf(error: Error): Error[] {
  const errors: Error[] = []
  const add = (thrown: unknown): void => {
    if (!(thrown instanceof Error) || errors.includes(thrown) || errors.length === maxCauses) return
    errors.push(thrown)
    within(thrown)
  }
  const within = (outer: Error): void => {
    if (outer instanceof AggregateError) outer.errors.forEach(add)
    add(outer.cause)
  }
  within(error)
  return errors
}
