import { timedChunks } from './timed-chunks.ts'

export type BodyChunks = {
  /** Throws validation_error if the body is incomplete or slow, payload_too_large if it exceeds the limit. */
  chunks: AsyncIterable<Uint8Array>
  /** Reads and drops the rest of a rejected body, up to a limit: clients read the response only after they sent everything. */
  drain(): Promise<void>
}

/** A client that is silent for this long has disconnected without notice. */
const silentMs = 60_000
const maxDrainedBytes = 256 * 1024 * 1024
/** A client that still sends does not pause for this long. One that waits for "100 Continue" gets the response. */
const drainSilentMs = 2_000

/** A body as a stream, without buffering. */
export function bodyChunks(body: ReadableStream<Uint8Array> | null, limitBytes: number): BodyChunks {
  const reader = body?.getReader()
  async function* read(limits: { silentMs: number; limitBytes?: number }) {
    if (!reader) return
    const timed = timedChunks(reader, limits)
    try {
      for (let chunk = await timed.next(); chunk; chunk = await timed.next()) yield chunk
    } finally {
      timed.stop()
    }
  }
  return {
    chunks: read({ silentMs, limitBytes }),
    async drain() {
      let drainedBytes = 0
      for await (const chunk of read({ silentMs: drainSilentMs })) {
        drainedBytes += chunk.length
        if (drainedBytes >= maxDrainedBytes) return
      }
    },
  }
}
