import type { UsageEvent } from './usage-event.ts'

/** The stream of answered requests: Kinesis, or a stream on disk. */
export type UsageStream = {
  /** Makes one attempt. Throws if the event may not be on the stream. */
  put(event: UsageEvent, signal: AbortSignal): Promise<void>
}
