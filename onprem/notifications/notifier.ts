import { randomUUID } from 'node:crypto'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { type NotificationChannel, notificationChannels } from '../../shared/settings/notification-names.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { NotificationStore, StoredMessage } from '../store/notifications/notification-store.ts'
import { isOn } from './channel-settings.ts'
import type { NotificationLimits } from './limits.ts'
import type { Channels, Message } from './message.ts'

export type NotifierPorts = {
  store: NotificationStore
  channels: Channels
  settings: Pick<SettingsStore, 'get' | 'getSecret'>
  limits: NotificationLimits
  /** The address of the install, or the name of its machine. */
  install: string
  /** Called after each attempt. */
  attempted(channel: NotificationChannel, outcome: 'sent' | 'failed'): void
  noteDamage(error: unknown): void
  log: Log
  now(): Date
}

/** Sends the events that wait, each channel on its own, so that one that hangs delays no other and no job. */
export type Notifier = {
  start(): void
  /** Looks for something to send soon. */
  wake(): void
  /** Aborts the running attempts and waits for their end. They are repeated after the next start. */
  close(): Promise<void>
}

/** Attempts that a process has not survived before its message is taken for sent, so that it arrives at most twice. */
const maxUnsettled = 2
const maxTimerMs = 60_000

export function notifier(ports: NotifierPorts): Notifier {
  const stopping = new AbortController()
  const loops = notificationChannels.map((channel) => channelLoop(ports, channel, stopping.signal))
  let isStarted = false
  const wake = () => {
    if (isStarted && !stopping.signal.aborted) for (const each of loops) each.wake()
  }
  return {
    start() {
      isStarted = true
      try {
        ports.store.resume(ports.now().toISOString())
      } catch (error) {
        ports.noteDamage(error)
        ports.log.warn({ error }, 'interrupted notifications are repeated later')
      }
      wake()
    },
    wake,
    async close() {
      stopping.abort()
      await Promise.all(loops.map(({ close }) => close()))
    },
  }
}

/** One attempt at a time. */
function channelLoop(ports: NotifierPorts, channel: NotificationChannel, signal: AbortSignal) {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isFailing = false
  let isWoken = false
  const wake = () => {
    clearTimeout(timer)
    isWoken = true
    if (running || signal.aborted) return
    running = run().finally(() => {
      running = undefined
    })
  }
  const run = async () => {
    let nextMs: number | undefined
    isWoken = false
    try {
      nextMs = await step(ports, channel, signal)
      isFailing = false
    } catch (error) {
      ports.noteDamage(error)
      if (!isFailing && !signal.aborted) ports.log.error({ channel, error }, 'notifications cannot be sent yet')
      isFailing = true
      nextMs = maxTimerMs
    }
    if (isWoken) nextMs = 0
    if (nextMs !== undefined && !signal.aborted) timer = setTimeout(wake, Math.min(maxTimerMs, Math.max(10, nextMs))).unref()
  }
  return {
    wake,
    async close() {
      clearTimeout(timer)
      await running
    },
  }
}

/** Sends what is due. Returns the time until more may be, undefined if nothing waits. */
async function step(ports: NotifierPorts, channel: NotificationChannel, signal: AbortSignal): Promise<number | undefined> {
  const { store, settings, limits } = ports
  const now = ports.now()
  if (!isOn(settings, channel)) {
    store.clear(channel)
    return undefined
  }
  const repeatsAfter = new Date(now.getTime() - limits.repeatMs).toISOString()
  const message = store.message(channel)
  if (message) {
    const waitMs = Date.parse(message.dueAt) - now.getTime()
    if (waitMs > 0) return waitMs
    await attempt(ports, channel, message, signal)
    return 0
  }
  const first = store.firstDue(channel, repeatsAfter)
  if (first === undefined) {
    const reported = store.firstRepeat(channel)
    return reported === undefined ? undefined : Date.parse(reported) + limits.repeatMs - now.getTime() + 1
  }
  const { sentAt } = store.record(channel)
  const from = Math.max(Date.parse(first) + limits.gatherMs, sentAt === null ? 0 : Date.parse(sentAt) + limits.betweenMs)
  // A clock that was set back must not delay messages for long.
  const waitMs = Math.min(from - now.getTime(), limits.betweenMs)
  if (waitMs > 0) return waitMs
  store.compose(channel, randomUUID(), now.toISOString(), repeatsAfter)
  return 0
}

async function attempt(ports: NotifierPorts, channel: NotificationChannel, stored: StoredMessage, signal: AbortSignal) {
  const { store, log, limits } = ports
  const { id, attempts, unsettled } = stored
  if (unsettled >= maxUnsettled) {
    log.warn({ channel }, 'a notification was interrupted repeatedly, and is taken for sent')
    return store.succeed(channel, id, ports.now().toISOString())
  }
  const pauseMs = limits.retryPausesMs[attempts]
  store.begin(id, new Date(ports.now().getTime() + (pauseMs ?? 0)).toISOString())
  try {
    await ports.channels[channel](messageOf(ports, stored), signal)
    store.succeed(channel, id, ports.now().toISOString())
    ports.attempted(channel, 'sent')
  } catch (error) {
    if (signal.aborted) return
    store.fail(channel, id, ports.now().toISOString(), failureText(error))
    ports.attempted(channel, 'failed')
    if (attempts === 0) log.warn({ channel, error: { message: failureText(error) } }, 'a notification cannot be sent yet')
    if (!(error instanceof AppError)) log.error({ channel, error }, 'a notification failed unexpectedly')
    if (pauseMs !== undefined) return
    const events = store.drop(channel, id)
    log.error({ channel, events, error: { message: failureText(error) } }, 'a notification was dropped after its last attempt')
  }
}

const messageOf = ({ store, install }: NotifierPorts, { id, createdAt }: StoredMessage): Message => ({
  id,
  createdAt,
  install,
  isTest: false,
  events: store.events(id),
})

export const failureText = (error: unknown): string =>
  error instanceof AppError ? error.message : 'It failed unexpectedly. The log of the server has the details.'
