import { randomUUID } from 'node:crypto'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import {
  type NotificationChannel,
  type NotificationEvent,
  notificationChannels,
} from '../../shared/settings/notification-names.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import type { NotificationStore } from '../store/notifications/notification-store.ts'
import { redactSecrets } from '../support/redact-secrets.ts'
import { channelsFor, eventsOf, isOn, targetOf } from './channel-settings.ts'
import type { NotificationLimits } from './limits.ts'
import type { Channels, Message } from './message.ts'
import { failureText, type Notifier } from './notifier.ts'
import { heldStates, type WatchPorts } from './watch-states.ts'

export type ChannelState = {
  channel: NotificationChannel
  state: 'off' | 'ready' | 'failing'
  /** The host that it sends to; null if it is off or cannot be decrypted. */
  host: string | null
  events: readonly NotificationEvent[]
  /** Events that wait for a message or are in one that was not accepted yet. */
  waiting: number
  /** Events that were dropped since the channel last worked. */
  dropped: number
  lastSentAt: string | null
  failing: { since: string; message: string; nextAt: string | null } | null
}

export type Notifications = {
  /** Notes an event for the channels that report its kind. Joins a running transaction, so that both are written or none. */
  note(kind: NotificationEvent, subject: string, text: string): void
  /** Like `note`, but a failure is only logged. */
  noteSafely(kind: NotificationEvent, subject: string, text: string): void
  /** Notes states that are new: a full disk, stale libraries, a license that ends. */
  watch(ports: WatchPorts): void
  channels(): ChannelState[]
  /** Sends a test message with these changes of the settings, which are not stored. Throws validation_error. */
  test(channel: NotificationChannel, changes: Record<string, unknown>, signal: AbortSignal): Promise<ChannelTest>
  start(): void
  close(): Promise<void>
}

export type ChannelTest = { ok: boolean; ms: number; error?: string }

export type NotificationsPorts = {
  store: NotificationStore
  notifier: Notifier
  /** The channels with the given settings. */
  channelsWith(settings: Pick<SettingsStore, 'get' | 'getSecret'>): Channels
  settings: SettingsStore
  limits: NotificationLimits
  install: string
  noteDamage(error: unknown): void
  log: Log
  now(): Date
}

const maxTextChars = 500
const maxSubjectChars = 200

export function openNotifications(ports: NotificationsPorts): Notifications {
  const { store, notifier, settings, limits, log, now } = ports
  const note: Notifications['note'] = (kind, subject, text) => {
    const channels = channelsFor(settings, kind)
    if (channels.length === 0) return
    const redacted = redactSecrets(settings)
    const line = (written: string, max: number) => redacted(visibleText(written).replace(/\s+/g, ' ').trim()).slice(0, max)
    const event = { kind, subject: line(subject, maxSubjectChars), text: line(text, maxTextChars), at: now().toISOString() }
    for (const channel of channels) store.add(channel, event, limits.maxWaiting)
    setImmediate(notifier.wake)
  }
  const safely = (what: string, work: () => void) => {
    try {
      work()
    } catch (error) {
      ports.noteDamage(error)
      log.error({ error }, what)
    }
  }
  return {
    note,
    noteSafely: (kind, subject, text) => safely('an event cannot be noted', () => note(kind, subject, text)),
    watch: (watched) =>
      safely('states cannot be watched', () => {
        for (const [kind, statesNow] of Object.entries(heldStates) as [NotificationEvent, (typeof heldStates)['disk-low']][]) {
          const channels = channelsFor(settings, kind)
          if (channels.length === 0 || statesNow === undefined) continue
          noteStates(ports, kind, channels, statesNow(watched))
        }
        notifier.wake()
      }),
    channels: () => notificationChannels.map((channel) => stateOf(ports, channel)),
    async test(channel, changes, signal) {
      const began = performance.now()
      const tried = settings.withChanges(changes)
      const message: Message = {
        id: randomUUID(),
        createdAt: now().toISOString(),
        install: ports.install,
        isTest: true,
        events: [],
      }
      try {
        if (!isOn(tried, channel)) throw new AppError('not_configured', 'This channel is off: its address is not set.')
        await ports.channelsWith(tried)[channel](message, signal)
        if (Object.keys(changes).length === 0) store.tested(channel)
        return { ok: true, ms: Math.round(performance.now() - began) }
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof AppError)) log.error({ channel, error }, 'a test of a channel failed unexpectedly')
        return { ok: false, ms: Math.round(performance.now() - began), error: failureText(error) }
      }
    },
    start: notifier.start,
    close: notifier.close,
  }
}

/** Notes the states of a kind that are new for each of these channels, in one transaction per channel. */
function noteStates(
  { store, limits, now }: NotificationsPorts,
  kind: NotificationEvent,
  channels: NotificationChannel[],
  states: ReturnType<NonNullable<(typeof heldStates)['disk-low']>>,
): void {
  const names = new Map([...states].map(([subject, { state }]) => [subject, state]))
  const at = now().toISOString()
  for (const channel of channels)
    store.hold(channel, kind, names, (subject) => {
      const text = states.get(subject)?.text ?? ''
      store.add(channel, { kind, subject, text: visibleText(text), at }, limits.maxWaiting)
    })
}

function stateOf({ store, settings }: NotificationsPorts, channel: NotificationChannel): ChannelState {
  const record = store.record(channel)
  const message = store.message(channel)
  const { failingSince, error } = record
  const failing = failingSince === null ? null : { since: failingSince, message: error ?? '', nextAt: message?.dueAt ?? null }
  const on = isOn(settings, channel)
  return {
    channel,
    state: !on ? 'off' : failing ? 'failing' : 'ready',
    host: hostOf(settings, channel),
    events: eventsOf(settings, channel),
    waiting: on ? store.waiting(channel) + (message ? store.events(message.id).length : 0) : 0,
    dropped: record.dropped,
    lastSentAt: record.sentAt,
    failing: on ? failing : null,
  }
}

function hostOf(settings: NotificationsPorts['settings'], channel: NotificationChannel): string | null {
  try {
    return targetOf(settings, channel) ?? null
  } catch {
    return null
  }
}
