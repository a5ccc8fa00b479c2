import { AppError } from '../errors.ts'

type Reader = ReadableStreamDefaultReader<Uint8Array>

type TimeLimits = {
  /** How long a read may wait for the next chunk. */
  silentMs: number
  /** How long the body may take. */
  bodyMs?: number
}

export type TimedChunks = {
  /** The next chunk, undefined after the last one. Throws validation_error if the body breaks off or exceeds a time limit. */
  next(): Promise<Uint8Array | undefined>
  /** Makes the current read, or the next one, throw. */
  reject(reason: AppError): void
  /** Ends the timers. */
  stop(): void
}

/** The chunks of a body. At most two timers serve all of them, since a timer per chunk would cost more than a tiny chunk itself. */
export function timedChunks(reader: Reader, { silentMs, bodyMs }: TimeLimits): TimedChunks {
  let rejected: AppError | undefined
  let rejectRead: ((reason: AppError) => void) | undefined
  const reject = (reason: AppError) => {
    rejected ??= reason
    rejectRead?.(rejected)
  }
  // The time between two reads is the server's.
  const onSilence = () => rejectRead && reject(tooSlow(`Nothing of the body arrived for ${silentMs / 1000} seconds.`))
  const onTimeUp = () => reject(tooSlow(`The body took longer than ${Number(bodyMs) / 1000} seconds.`))
  const silence = setTimeout(onSilence, silentMs)
  const timer = bodyMs === undefined ? undefined : setTimeout(onTimeUp, bodyMs)
  return {
    reject,
    async next() {
      if (rejected) throw rejected
      silence.refresh()
      const { done, value } = await new Promise<Awaited<ReturnType<Reader['read']>>>((resolve, rejectThis) => {
        rejectRead = rejectThis
        reader.read().then(resolve, (cause: unknown) => rejectThis(brokenOff(cause)))
      }).finally(() => {
        rejectRead = undefined
      })
      return done ? undefined : value
    },
    stop() {
      clearTimeout(silence)
      clearTimeout(timer)
    },
  }
}

const brokenOff = (cause: unknown): AppError =>
  new AppError('validation_error', 'The body broke off before its end. Send the request again.', { cause })

const tooSlow = (what: string): AppError => new AppError('validation_error', `${what} Send the whole request again.`)
