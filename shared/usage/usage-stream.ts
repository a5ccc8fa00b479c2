import type { UsageEvent } from './usage-event.ts'

/** The stream of answered requests: Kinesis, or a stream on disk. */
export type UsageStream = {
  /** Makes one attempt. Throws if the event may not be on the stream. */
  put(event: UsageEvent, signal: AbortSignal): Promise<void>
}

/** Thrown by `put` of a stream if the event is certainly not on it. After any other error that is unknown. */
export const refusedEvent = (cause: unknown): Error =>
  Object.assign(new Error('The stream rejected the event.', { cause }), { refused: true })

export const isRefused = (thrown: unknown): boolean => thrown instanceof Error && 'refused' in thrown && thrown.refused === true
