import { abortAfter } from './abort-after.ts'
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
