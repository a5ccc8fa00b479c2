import type { NotificationChannel, NotificationEvent } from '../../shared/settings/notification-names.ts'

/** Something that happened `times` times to a subject, such as a library, since `at`. `text` is one sentence about the last time. */
export type NotedEvent = { kind: NotificationEvent; subject: string; text: string; at: string; times: number }

/** A message to one channel. It keeps its id when it is sent again, so that the receiver can recognise it. */
export type Message = {
  id: string
  createdAt: string
  /** The address of the install, or the name of its machine. */
  install: string
  isTest: boolean
  events: NotedEvent[]
}

/** Sends a message, or throws an AppError whose text holds no secret. */
export type SendMessage = (message: Message, signal: AbortSignal) => Promise<void>

export type Channels = Record<NotificationChannel, SendMessage>

const nouns: Record<NotificationEvent, [one: string, many: string]> = {
  'job-failed': ['job failed', 'jobs failed'],
  'library-stale': ['library is stale', 'libraries are stale'],
  'backup-failed': ['backup failed', 'backups failed'],
  'disk-low': ['disk is almost full', 'disks are almost full'],
  'license-ends': ['license ends', 'licenses end'],
}

/** One line about a message: its event, or the number of events of each kind. */
export function titleOf({ isTest, events }: Message): string {
  if (isTest) return 'Carrel: test message'
  const [only] = events
  if (only && events.length === 1) return `Carrel: ${nouns[only.kind][0]}${only.subject === '' ? '' : ` (${only.subject})`}`
  const counts = new Map<NotificationEvent, number>()
  for (const { kind } of events) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const parts = [...counts].map(([kind, count]) => `${count} ${nouns[kind][count === 1 ? 0 : 1]}`)
  return `Carrel: ${parts.join(', ')}`
}

const maxLines = 50

/** The text of a message, a line for each event up to 50. */
export function linesOf({ isTest, events, install }: Message): string[] {
  if (isTest) return [`This is a test message of ${install}. The channel works.`]
  const lines = events.slice(0, maxLines).map(({ subject, text, times }) => {
    const about = subject === '' || text.includes(subject) ? text : `${subject}: ${text}`
    return times > 1 ? `${about} (${times} times)` : about
  })
  const more = events.length - lines.length
  return [...lines, ...(more > 0 ? [`And ${more} more.`] : []), `From ${install}`]
}
