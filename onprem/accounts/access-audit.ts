import { LRUCache } from 'lru-cache'
import type { Log } from '../../shared/log.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { utcDay } from '../../shared/time/utc-day.ts'
import { type Actor, type AuditLog, type NewEntry, serverActor } from './audit-log.ts'

/** Records what is no change: uses of keys, reads and refusals. Never throws: a full disk rejects no reader. */
export type AccessAudit = {
  /** Records the first use of a key on a day, and its first use of each library; `library` is empty for anything else. */
  keyUsed(actor: Actor, library: string): void
  /** Records a read if `audit.reads` is on. */
  read(actor: Actor, library: string): void
  /** Records the first of equal refusals in a minute, and then how many followed. */
  refused(entry: Omit<NewEntry, 'outcome'>): void
  /** Records how many refusals followed, and deletes entries that are too old. Called every minute. */
  tidy(): void
}

export type AccessAuditPorts = {
  audit: Pick<AuditLog, 'record' | 'cut'>
  settings: Pick<SettingsStore, 'get'>
  log: Log
  now(): Date
}

const spanMs = 60_000
/** Different refusals of an action that are recorded per minute. Further ones are only counted, so that nobody fills the disk. */
const maxRefusals = 60
const maxKeyUses = 100_000

type Refusal = { entry: Omit<NewEntry, 'outcome'>; more: number }
/** The refusals of an action in the current minute. */
type Refusals = { byKey: Map<string, Refusal>; others: number }

export function accessAudit({ audit, settings, log, now }: AccessAuditPorts): AccessAudit {
  const usedToday = new LRUCache<string, true>({ max: maxKeyUses })
  let sinceMs = Number.NEGATIVE_INFINITY
  let refusals = new Map<string, Refusals>()
  let isFailing = false

  const safely = (work: () => void) => {
    try {
      work()
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error({ error }, 'the audit log cannot be written')
      isFailing = true
    }
  }
  const record = (entry: NewEntry) => safely(() => audit.record(entry))
  const recordMore = () => {
    const ended = refusals
    refusals = new Map()
    sinceMs = now().getTime()
    for (const [action, { byKey, others }] of ended) {
      for (const { entry, more } of byKey.values())
        if (more > 0) record({ ...entry, subject: `${entry.subject} (${more} more in a minute)`, outcome: 'refused' })
      if (others > 0)
        record({ actor: serverActor('various'), action, subject: `${others} others in a minute`, outcome: 'refused' })
    }
  }
  return {
    keyUsed(actor, library) {
      const use = `${utcDay(now())} ${actor.id} ${library}`
      if (usedToday.has(use)) return
      usedToday.set(use, true)
      record({ actor, action: 'key.use', subject: library || 'this server', library })
    },
    read(actor, library) {
      if (settings.get('audit.reads')) record({ actor, action: 'library.read', subject: library })
    },
    refused(entry) {
      if (now().getTime() - sinceMs >= spanMs) recordMore()
      const { actor, action, subject, library } = entry
      const ofAction = refusals.get(action) ?? { byKey: new Map(), others: 0 }
      refusals.set(action, ofAction)
      const key = JSON.stringify([actor.id, actor.address, subject, library])
      const earlier = ofAction.byKey.get(key)
      if (earlier) earlier.more += 1
      else if (ofAction.byKey.size >= maxRefusals) ofAction.others += 1
      else {
        ofAction.byKey.set(key, { entry, more: 0 })
        record({ ...entry, outcome: 'refused' })
      }
    },
    tidy() {
      recordMore()
      safely(() => {
        const days = settings.get('audit.retentionDays')
        if (days > 0) audit.cut(utcDay(now(), -days))
      })
    },
  }
}
