import { isExpired, type License } from '../../shared/keys/license.ts'
import type { NotificationEvent } from '../../shared/settings/notification-names.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { isStale, staleTime } from '../../shared/time/is-stale.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { DiskGuard } from '../store/data-dir/disk-guard.ts'
import { type LibraryChecks, lastCheckedAt } from '../store/library-checks.ts'

/** The states that hold now, each with a sentence about it, by subject. A new state is an event. */
export type HeldStates = Map<string, { state: string; text: string }>

export type WatchPorts = {
  license: Pick<License, 'id' | 'kind' | 'expiresAt'>
  disk: Pick<DiskGuard, 'shortage'>
  catalog: Pick<InstallCatalog, 'libraries'>
  checks: Pick<LibraryChecks, 'all'>
  settings: Pick<SettingsStore, 'get'>
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
  'library-stale': ({ catalog, checks, settings, now }) => {
    const checksByKey = checks.all()
    const days = settings.get('refresh.staleDays')
    const stale = catalog.libraries().flatMap((library) => {
      const { id, state } = library
      const check = checksByKey.get(id.toLowerCase())
      const checkedAt = lastCheckedAt(library, check)
      if (!isStale({ state, lastCheckedAt: checkedAt }, staleTime(now(), days))) return []
      const since = checkedAt === undefined ? `for ${days} days` : `since ${checkedAt.slice(0, 10)}`
      const why = check?.error === undefined ? 'Refresh it.' : check.error
      return [[id, { state: 'stale', text: `${id} was not compared with its source ${since}. ${why}` }] as const]
    })
    return new Map(stale)
  },
}
