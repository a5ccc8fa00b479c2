import { isExpired, type License } from '../../shared/keys/license.ts'
import type { NotificationEvent } from '../../shared/settings/notification-names.ts'
import { defaultStaleDays, isStale } from '../../shared/time/is-stale.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { DiskGuard } from '../store/data-dir/disk-guard.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

/** The states that hold now, each with a sentence about it, by subject. A new state is an event. */
export type HeldStates = Map<string, { state: string; text: string }>

export type WatchPorts = {
  license: Pick<License, 'id' | 'kind' | 'expiresAt'>
  disk: Pick<DiskGuard, 'shortage'>
  catalog: Pick<InstallCatalog, 'libraries'>
  jobs: Pick<JobStore, 'lastReads'>
  now(): Date
}

const dayMs = 86_400_000
/** The numbers of days before the end of a license at which it is reported. */
const licenseDays = [1, 7, 30]

/** The kinds of events that are states. */
export const heldStates: Partial<Record<NotificationEvent, (ports: WatchPorts) => HeldStates>> = {
  'disk-low': ({ disk }) => {
    const shortage = disk.shortage()
    return shortage === undefined
      ? new Map()
      : new Map([['', { state: 'low', text: `Jobs and imports wait for disk space: ${shortage}.` }]])
  },
  'license-ends': ({ license, now }) => {
    const { id, kind, expiresAt } = license
    const on = expiresAt.slice(0, 10)
    if (isExpired(license as License, now()))
      return new Map([[id, { state: 'expired', text: `The ${kind} license expired on ${on}. Set LICENSE_KEY to a new one.` }]])
    const days = licenseDays.find((each) => Date.parse(expiresAt) - now().getTime() < each * dayMs)
    if (days === undefined) return new Map()
    return new Map([[id, { state: `${days} days`, text: `The ${kind} license ends on ${on}. Ask your vendor for a new one.` }]])
  },
  'library-stale': ({ catalog, jobs, now }) => {
    const lastReads = jobs.lastReads()
    const stale = catalog.libraries().flatMap(({ id, state, writtenAt }) => {
      const lastReadAt = lastReads.get(id.toLowerCase()) ?? writtenAt
      if (!isStale({ state, lastReadAt }, now().getTime())) return []
      const since = lastReadAt === undefined ? `for ${defaultStaleDays} days` : `since ${lastReadAt.slice(0, 10)}`
      return [[id, { state: 'stale', text: `${id} was not read ${since}. Refresh it.` }] as const]
    })
    return new Map(stale)
  },
}
