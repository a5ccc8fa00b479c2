const second = 1_000
const minute = 60 * second
const hour = 60 * minute

export type NotificationLimits = {
  /** Pause after the first event, in which others join its message. */
  gatherMs: number
  /** The time between two messages of a channel. What happens in between is one message. */
  betweenMs: number
  /** The time in which a channel reports the same kind of event of the same subject once. */
  repeatMs: number
  /** Pauses before the second, third, … attempt. After the last attempt the message is dropped. */
  retryPausesMs: readonly number[]
  /** Time limit of one attempt. */
  sendMs: number
  /** Different events that wait for a channel. Further ones are counted as one. */
  maxWaiting: number
}

export const notificationLimits: NotificationLimits = {
  gatherMs: 5 * second,
  betweenMs: 5 * minute,
  repeatMs: hour,
  retryPausesMs: [30 * second, 2 * minute, 10 * minute, hour, 4 * hour],
  sendMs: 15 * second,
  maxWaiting: 1_000,
}
