import { AppError } from '../errors.ts'

type Reader = ReadableStreamDefaultReader<Uint8Array>

type ChunkLimits = {
  /** Maximum time that a read may wait for the next chunk. */
  silentMs: number
  /** Maximum time for the whole body. */
  bodyMs?: number
  /** Maximum length of the body. */
  limitBytes?: number
}

export type TimedChunks = {
  /** The next chunk, undefined after the last one. Throws payload_too_large, and validation_error for an incomplete or slow body. */
  next(): Promise<Uint8Array | undefined>
  /** Makes the current read, or the next one, throw. */
  reject(reason: AppError): void
  /** Ends the timers. */
  stop(): void
}

/** The chunks of a body. Uses at most two timers, because a timer per chunk costs more than a tiny chunk. */
export function timedChunks(reader: Reader, { silentMs, bodyMs, limitBytes = Infinity }: ChunkLimits): TimedChunks {
  let sizeBytes = 0
  let rejected: AppError | undefined
  let rejectRead: ((reason: AppError) => void) | undefined
  const reject = (reason: AppError) => {
    rejected ??= reason
    rejectRead?.(rejected)
  }
  // The server causes the time between two reads.
  const onSilence = () => rejectRead && reject(tooSlow(`No data of the body arrived for ${silentMs / 1000} seconds.`))
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
        reader.read().then(resolve, (cause: unknown) => rejectThis(incomplete(cause)))
      }).finally(() => {
        rejectRead = undefined
      })
      if (done) return undefined
      sizeBytes += value.length
      if (sizeBytes > limitBytes) throw bodyTooLarge(limitBytes)
      return value
    },
    stop() {
      clearTimeout(silence)
      clearTimeout(timer)
    },
  }
}

export function bodyTooLarge(limitBytes: number, sizeBytes?: number): AppError {
  const size = sizeBytes === undefined ? `more than ${limitBytes} bytes` : `${sizeBytes} bytes`
  return new AppError('payload_too_large', `The body has ${size}; at most ${limitBytes} bytes are read here.`, {
    fields: { ...(sizeBytes === undefined ? {} : { sizeBytes }), limitBytes },
  })
}

const incomplete = (cause: unknown): AppError =>
  new AppError('validation_error', 'The body is incomplete. The request was not processed; send it again.', { cause })

const tooSlow = (what: string): AppError =>
  new AppError('validation_error', `${what} The request was not processed; send it again.`)
