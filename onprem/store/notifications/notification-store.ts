import type { DatabaseSync } from 'node:sqlite'
import type { NotificationChannel, NotificationEvent } from '../../../shared/settings/notification-names.ts'
import { transaction } from '../../../shared/store/database.ts'

type StoredEvent = { kind: NotificationEvent; subject: string; text: string; at: string; times: number }

/** A message whose delivery is not settled. `unsettled`: attempts that neither succeeded nor failed, because the process ended. */
export type StoredMessage = { id: string; createdAt: string; dueAt: string; attempts: number; unsettled: number }

export type ChannelRecord = { sentAt: string | null; failingSince: string | null; error: string | null; dropped: number }

/** The events that wait for a channel, and the messages on their way. Everything is in the database, so no end of the process loses it. */
export type NotificationStore = {
  /** Adds an event, or counts it if the same kind of the same subject waits already. */
  add(channel: NotificationChannel, event: Omit<StoredEvent, 'times'>, maxWaiting: number): void
  /** Events that no message holds, also of subjects that were reported after `repeatsAfter`. */
  waiting(channel: NotificationChannel): number
  /** When the first event that may be reported happened. Ignores subjects that were reported after `repeatsAfter`. */
  firstDue(channel: NotificationChannel, repeatsAfter: string): string | undefined
  /** When the first event that waits may be reported at the earliest: when its subject was reported before. */
  firstRepeat(channel: NotificationChannel): string | undefined
  message(channel: NotificationChannel): StoredMessage | undefined
  events(message: string): StoredEvent[]
  /** Puts all events that may be reported into a new message. */
  compose(channel: NotificationChannel, id: string, now: string, repeatsAfter: string): void
  /** Lets the attempts that the last process did not survive be repeated now. */
  resume(now: string): void
  /** Records that an attempt begins, and when the next one may follow. */
  begin(id: string, dueAt: string): void
  /** The message has arrived, or may have. */
  succeed(channel: NotificationChannel, id: string, now: string): void
  fail(channel: NotificationChannel, id: string, now: string, error: string): void
  /** Drops a message whose last attempt failed. Returns the number of its events. */
  drop(channel: NotificationChannel, id: string): number
  /** A test of the channel has ended. */
  tested(channel: NotificationChannel): void
  record(channel: NotificationChannel): ChannelRecord
  /** Forgets what waits for a channel that is off, and what was reported to it. */
  clear(channel: NotificationChannel): void
  /** Stores the states that hold now, by subject, and calls `note` for each that is new, in one transaction. */
  hold(
    channel: NotificationChannel,
    kind: NotificationEvent,
    states: ReadonlyMap<string, string>,
    note: (subject: string) => void,
  ): void
}

const mayReport = `message IS NULL AND NOT EXISTS
  (SELECT 1 FROM notification_reports r WHERE r.channel = e.channel AND r.kind = e.kind AND r.subject = e.subject AND r.at > :repeatsAfter)`

export function sqliteNotifications(db: DatabaseSync): NotificationStore {
  const upsert = db.prepare(`
    INSERT INTO notification_events (channel, kind, subject, text, at, times) VALUES (:channel, :kind, :subject, :text, :at, 1)
    ON CONFLICT (channel, kind, subject) WHERE message IS NULL DO UPDATE SET text = excluded.text, times = times + 1`)
  const isWaiting = db.prepare(
    'SELECT 1 FROM notification_events WHERE channel = ? AND kind = ? AND subject = ? AND message IS NULL',
  )
  const countWaiting = db.prepare('SELECT count(*) AS events FROM notification_events WHERE channel = ? AND message IS NULL')
  const firstDue = db.prepare(`SELECT min(at) AS at FROM notification_events e WHERE channel = :channel AND ${mayReport}`)
  const firstRepeat = db.prepare(`
    SELECT min(r.at) AS at FROM notification_events e JOIN notification_reports r USING (channel, kind, subject)
    WHERE e.channel = ? AND e.message IS NULL`)
  const messageOf = db.prepare(
    'SELECT id, created_at AS createdAt, due_at AS dueAt, attempts, unsettled FROM notification_messages WHERE channel = ?',
  )
  const eventsOf = db.prepare('SELECT kind, subject, text, at, times FROM notification_events WHERE message = ? ORDER BY id')
  const deleteEvents = db.prepare('DELETE FROM notification_events WHERE message = ?')
  const deleteMessage = db.prepare('DELETE FROM notification_messages WHERE id = ?')
  const channelOf = db.prepare(
    'SELECT sent_at AS sentAt, failing_since AS failingSince, error, dropped FROM notification_channels WHERE channel = ?',
  )
  const insertState = db.prepare('INSERT OR REPLACE INTO notification_states (channel, kind, subject, state) VALUES (?, ?, ?, ?)')
  const deleteState = db.prepare('DELETE FROM notification_states WHERE channel = ? AND kind = ? AND subject = ?')
  const waiting = (channel: NotificationChannel) => Number(countWaiting.get(channel)?.events)
  const works = (channel: NotificationChannel, sentAt: string | null) =>
    db
      .prepare(`
        INSERT INTO notification_channels (channel, sent_at) VALUES (:channel, :sentAt)
        ON CONFLICT DO UPDATE SET sent_at = coalesce(:sentAt, sent_at), failing_since = NULL, error = NULL, dropped = 0`)
      .run({ channel, sentAt })
  return {
    add(channel, event, maxWaiting) {
      const isNew = isWaiting.get(channel, event.kind, event.subject) === undefined
      const isFull = isNew && waiting(channel) >= maxWaiting
      upsert.run({ channel, ...event, ...(isFull && { subject: '', text: 'More events happened than are listed.' }) })
    },
    waiting,
    firstDue: (channel, repeatsAfter) => (firstDue.get({ channel, repeatsAfter })?.at ?? undefined) as string | undefined,
    firstRepeat: (channel) => (firstRepeat.get(channel)?.at ?? undefined) as string | undefined,
    message: (channel) => messageOf.get(channel) as StoredMessage | undefined,
    events: (message) => eventsOf.all(message).map((row) => ({ ...row }) as StoredEvent),
    compose: (channel, id, now, repeatsAfter) =>
      transaction(db, () => {
        db.prepare(`UPDATE notification_events AS e SET message = :id WHERE channel = :channel AND ${mayReport}`).run({
          channel,
          id,
          repeatsAfter,
        })
        db.prepare('INSERT INTO notification_messages (id, channel, created_at, due_at) VALUES (?, ?, ?, ?)').run(
          id,
          channel,
          now,
          now,
        )
      }),
    resume(now) {
      db.prepare('UPDATE notification_messages SET due_at = ? WHERE unsettled > 0').run(now)
    },
    begin(id, dueAt) {
      db.prepare(
        'UPDATE notification_messages SET attempts = attempts + 1, unsettled = unsettled + 1, due_at = ? WHERE id = ?',
      ).run(dueAt, id)
    },
    succeed: (channel, id, now) =>
      transaction(db, () => {
        db.prepare(
          'INSERT OR REPLACE INTO notification_reports SELECT channel, kind, subject, ? FROM notification_events WHERE message = ?',
        ).run(now, id)
        deleteEvents.run(id)
        deleteMessage.run(id)
        works(channel, now)
      }),
    fail: (channel, id, now, error) =>
      transaction(db, () => {
        db.prepare('UPDATE notification_messages SET unsettled = 0 WHERE id = ?').run(id)
        db.prepare(`
          INSERT INTO notification_channels (channel, failing_since, error) VALUES (:channel, :now, :error)
          ON CONFLICT DO UPDATE SET failing_since = coalesce(failing_since, :now), error = :error`).run({ channel, now, error })
      }),
    drop: (channel, id) =>
      transaction(db, () => {
        const events = Number(deleteEvents.run(id).changes)
        deleteMessage.run(id)
        db.prepare('UPDATE notification_channels SET dropped = dropped + ? WHERE channel = ?').run(events, channel)
        return events
      }),
    tested: (channel) => void works(channel, null),
    record: (channel) =>
      ({ sentAt: null, failingSince: null, error: null, dropped: 0, ...channelOf.get(channel) }) as ChannelRecord,
    clear: (channel) =>
      transaction(db, () => {
        for (const table of ['events', 'messages', 'reports', 'states', 'channels'])
          db.prepare(`DELETE FROM notification_${table} WHERE channel = ?`).run(channel)
      }),
    hold: (channel, kind, states, note) =>
      transaction(db, () => {
        const held = new Map(
          db
            .prepare('SELECT subject, state FROM notification_states WHERE channel = ? AND kind = ?')
            .all(channel, kind)
            .map(({ subject, state }) => [String(subject), String(state)]),
        )
        for (const subject of held.keys()) if (!states.has(subject)) deleteState.run(channel, kind, subject)
        const fresh = [...states].filter(([subject, state]) => held.get(subject) !== state)
        for (const [subject, state] of fresh) {
          insertState.run(channel, kind, subject, state)
          note(subject)
        }
      }),
  }
}
