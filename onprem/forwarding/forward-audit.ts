import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import type { Network } from '../../shared/network/network.ts'
import { syslogTarget } from '../../shared/settings/syslog-address.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { AuditEntry, AuditLog } from '../accounts/audit-log.ts'
import type { NotificationLimits } from '../notifications/limits.ts'
import { sendSigned } from '../notifications/send-webhook.ts'
import { type ForwardStore, type ForwardTarget, forwardTargets } from './forward-store.ts'
import { sendSyslog } from './send-syslog.ts'

export type ForwardState = {
  target: ForwardTarget
  /** The host that it sends to; null if its address cannot be decrypted. */
  host: string | null
  /** Entries that the target does not have yet. */
  waiting: number
  failing: { since: string; message: string } | null
}

/** Sends entries of the audit log, each target on its own, in their order and at least once. */
export type AuditForwards = {
  start(): void
  /** The targets that are on. */
  states(): ForwardState[]
  close(): Promise<void>
}

type ForwardPorts = {
  audit: Pick<AuditLog, 'after' | 'head' | 'list'>
  store: ForwardStore
  settings: Pick<SettingsStore, 'get' | 'getSecret'>
  network: Network
  /** The address of the install, or the name of its machine. */
  install: string
  hostName: string
  limits: Pick<NotificationLimits, 'gatherMs' | 'sendMs' | 'retryPausesMs'>
  noteDamage(error: unknown): void
  log: Log
  now(): Date
}

const entriesAtOnce = 200

export function forwardAudit(ports: ForwardPorts): AuditForwards {
  const { audit, store, limits, log, now } = ports
  const stopping = new AbortController()
  const { signal } = stopping
  const failing = new Map<ForwardTarget, { since: string; message: string; attempts: number }>()
  let loops: Promise<void>[] = []

  const noteFailure = (target: ForwardTarget, error: unknown) => {
    ports.noteDamage(error)
    const message = error instanceof AppError ? error.message : 'It failed unexpectedly. The log of the server has the details.'
    const { since = now().toISOString(), attempts = 0 } = failing.get(target) ?? {}
    failing.set(target, { since, message, attempts: attempts + 1 })
    if (attempts > 0) return
    const details = error instanceof AppError ? { message } : error
    log.error({ target, error: details }, 'the audit log cannot be forwarded yet')
  }
  const run = async (target: ForwardTarget) => {
    while (!signal.aborted) {
      let isFull = false
      try {
        isFull = await step(ports, target, signal)
        failing.delete(target)
      } catch (error) {
        if (!signal.aborted) noteFailure(target, error)
      }
      const { attempts = 0 } = failing.get(target) ?? {}
      const pauseMs =
        attempts === 0 ? limits.gatherMs : (limits.retryPausesMs[Math.min(attempts, limits.retryPausesMs.length) - 1] ?? 0)
      await sleep(isFull ? 0 : Math.max(limits.gatherMs, Math.min(pauseMs, maxPauseMs)), undefined, { signal, ref: false }).catch(
        () => undefined,
      )
    }
  }
  return {
    start() {
      loops = forwardTargets.map(run)
    },
    states: () =>
      forwardTargets.flatMap((target) => {
        const host = hostOf(ports, target)
        if (host === undefined) return []
        const { since, message } = failing.get(target) ?? {}
        const waiting = audit.head().id - (store.sent(target) ?? firstId(ports, target))
        return [{ target, host, waiting, failing: since === undefined || message === undefined ? null : { since, message } }]
      }),
    async close() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

const maxPauseMs = 5 * 60_000

/** Sends what waits, at most 200 entries. Returns whether more may wait. */
async function step(ports: ForwardPorts, target: ForwardTarget, signal: AbortSignal): Promise<boolean> {
  const { audit, store } = ports
  const send = senderOf(ports, target)
  if (send === undefined) {
    if (store.sent(target) !== undefined) store.forget(target)
    return false
  }
  const sent = store.sent(target)
  const after = sent ?? firstId(ports, target)
  if (sent === undefined) store.setSent(target, after)
  const entries = audit.after(after, entriesAtOnce)
  const last = entries.at(-1)
  if (last === undefined) return false
  await send(entries, signal)
  store.setSent(target, last.id)
  return entries.length === entriesAtOnce
}

const settingOf = { syslog: 'audit.syslog', webhook: 'audit.webhookUrl' } as const

/** Forwarding begins with the entry of the change that turned it on. */
function firstId({ audit }: ForwardPorts, target: ForwardTarget): number {
  const [change] = audit.list(1, 1, { action: 'setting.change', q: settingOf[target] }).entries
  return change === undefined ? audit.head().id : change.id - 1
}

type Send = (entries: AuditEntry[], signal: AbortSignal) => Promise<void>

/** Undefined if the target is off. Throws data_damaged. */
function senderOf(ports: ForwardPorts, target: ForwardTarget): Send | undefined {
  const { settings, network, hostName, install, limits, now } = ports
  const { sendMs } = limits
  if (target === 'syslog') {
    const address = settings.get('audit.syslog')
    if (address === undefined) return undefined
    return (entries, signal) => sendSyslog({ network, hostName, sendMs }, address, entries, signal)
  }
  const url = settings.getSecret('audit.webhookUrl')
  if (url === undefined) return undefined
  const key = settings.getSecret('audit.webhookKey')
  return (entries, signal) =>
    sendSigned({ network, now, sendMs }, { url, key, id: randomUUID() }, JSON.stringify({ install, entries }), signal)
}

/** Undefined if the target is off. */
function hostOf({ settings }: ForwardPorts, target: ForwardTarget): string | null | undefined {
  try {
    const address = target === 'syslog' ? settings.get('audit.syslog') : settings.getSecret('audit.webhookUrl')
    if (address === undefined) return undefined
    return target === 'syslog' ? syslogTarget(address).host : new URL(address).host
  } catch {
    return null
  }
}
