import { AppError } from '../errors.ts'
import { bodyTooLarge } from './read-body.ts'
import { timedChunks } from './timed-chunks.ts'

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
  async function* chunksWithin(limitMs: number) {
    if (!reader) return
    const timed = timedChunks(reader, { silentMs: limitMs })
    try {
      for (let chunk = await timed.next(); chunk; chunk = await timed.next()) {
        size += chunk.length
        yield chunk
      }
    } catch (cause) {
      const message = 'The body broke off before its end. Nothing of it is imported; send it again.'
      throw new AppError('validation_error', message, { cause })
    } finally {
      timed.stop()
    }
  }
  async function* chunks() {
    for await (const chunk of chunksWithin(silentMs)) {
      if (size > limitBytes) throw bodyTooLarge(limitBytes)
      yield chunk
    }
  }
  return {
    chunks: chunks(),
    async drain() {
      const until = size + drainedBytes
      for await (const _ of chunksWithin(drainSilentMs)) if (size >= until) return
    },
  }
}
