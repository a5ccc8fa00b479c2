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
  /** The time so far that is not counted. */
  excludedMs?(): number
}

/** Runs work with a signal that aborts after `maxMs`. Waits until the work has ended. */
export async function abortAfter<T>(
  { maxMs, error, excludedMs = () => 0 }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  let grantedMs = 0
  const onTime = () => {
    const moreMs = excludedMs() - grantedMs
    grantedMs += moreMs
    if (moreMs > 0) timer = setTimeout(onTime, moreMs)
    else late.abort(error())
  }
  let timer = setTimeout(onTime, maxMs)
  try {
    return await work(late.signal)
  } finally {
    clearTimeout(timer)
  }
}
