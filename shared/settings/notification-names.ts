/** The events that an install can report. */
export const notificationEvents = ['job-failed', 'library-stale', 'backup-failed', 'disk-low', 'license-ends'] as const
export type NotificationEvent = (typeof notificationEvents)[number]

/** The places where events are reported. */
export const notificationChannels = ['webhook', 'slack', 'email'] as const
export type NotificationChannel = (typeof notificationChannels)[number]
