import type { UsageEvent } from './usage-event.ts'

/** Where answered requests go: Kinesis, or a stream on disk. */
export type UsageStream = {
  /** One attempt. Throws where the event is not known to be on the stream; it may be all the same. */
  put(event: UsageEvent, signal: AbortSignal): Promise<void>
}
