import { AppError } from '../errors.ts'
import { inTime } from '../in-time.ts'
import { bodyTooLarge } from '../read-body.ts'

export type BodyChunks = {
  /** Throws validation_error where the body breaks off, payload_too_large where it is longer than the limit. */
  chunks: AsyncIterable<Uint8Array>
  /** Takes what a client still sends, up to a limit of its own: it reads its answer only when it has sent all. */
  drain(): Promise<void>
}

/** A client that sends nothing for so long has gone away without a word. */
const silentMs = 60_000
const drainedBytes = 256 * 1024 * 1024
/** One that still sends does not pause for so long; one that waits to be told to go on is answered. */
const drainSilentMs = 2_000

/** A body as it comes, none of it held. */
export function bodyChunks(body: ReadableStream<Uint8Array> | null, limitBytes: number): BodyChunks {
  const reader = body?.getReader()
  let size = 0
  const next = async (mostMs = silentMs) => {
    if (!reader) return undefined
    const { done, value } = await inTime(reader.read(), mostMs, 'The next part of the body').catch((cause: unknown) => {
      throw new AppError('validation_error', 'The body broke off before its end. Nothing of it is imported; send it again.', {
        cause,
      })
    })
    return done ? undefined : value
  }
  async function* chunks() {
    for (let chunk = await next(); chunk; chunk = await next()) {
      size += chunk.length
      if (size > limitBytes) throw bodyTooLarge(limitBytes)
      yield chunk
    }
  }
  return {
    chunks: chunks(),
    async drain() {
      const until = size + drainedBytes
      for (let chunk = await next(drainSilentMs); chunk && size < until; chunk = await next(drainSilentMs)) size += chunk.length
    },
  }
}
