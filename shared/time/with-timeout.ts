import { unlessAborted } from './unless-aborted.ts'

export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/**
 * The outcome of work, or a TimeoutError as soon as it has taken `maxMs`. Work that ignores the signal continues, and its outcome is
 * ignored. `name` is the subject of the error message.
 */
export function withTimeout<T>(name: string, maxMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const error = () => new TimeoutError(`${name} took longer than ${maxMs} ms.`)
  return abortAfter({ maxMs, error }, (signal) => unlessAborted(work(signal), signal))
}

type TimeLimit = {
  maxMs: number
  /** The reason of the signal when the time is over. */
  error(): Error
}

/** Runs work with a signal that aborts after `maxMs`. Waits until the work has ended. */
export async function abortAfter<T>({ maxMs, error }: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(error()), maxMs)
  try {
    return await work(late.signal)
  } finally {
    clearTimeout(timer)
  }
}
