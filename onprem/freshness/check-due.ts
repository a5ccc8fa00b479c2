import { nextDue, RefreshSchedule, readSchedule } from '../../shared/freshness/refresh-schedule.ts'
import { type LibraryId, libraryKey } from '../../shared/library.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { LibraryChecks } from '../store/library-checks.ts'

type SchedulePorts = { settings: Pick<SettingsStore, 'get'>; catalog: Pick<InstallCatalog, 'find' | 'settings'> }

/** The schedule of a library and its text in the table of checks. */
function scheduleOf({ settings, catalog }: SchedulePorts, library: LibraryId): { schedule: RefreshSchedule; text: string } {
  const own = catalog.find(library)?.imported ? 'off' : catalog.settings(library).schedule
  const schedule = own ?? defaultSchedule(settings)
  return { schedule, text: storedText(schedule) }
}

const defaultSchedule = (settings: Pick<SettingsStore, 'get'>): RefreshSchedule =>
  readSchedule(settings.get('refresh.schedule')) ?? 'weekly'

const storedText = (schedule: RefreshSchedule): string => (typeof schedule === 'string' ? schedule : JSON.stringify(schedule))

/** Plans the next check of each library that is new or whose schedule has changed. One that was due while the server was down is due now. */
export function planChecks({
  settings,
  checks,
  now,
}: {
  settings: Pick<SettingsStore, 'get'>
  checks: Pick<LibraryChecks, 'plan'>
  now(): Date
}): void {
  const current = now()
  checks.plan(storedText(defaultSchedule(settings)), current, ({ key, schedule, checkedAt }) => {
    const after = checkedAt === undefined || new Date(checkedAt) > current ? current : new Date(checkedAt)
    return nextDue(readStored(schedule), key, after)
  })
}

/** A schedule whose time zone this version does not know delays no other library. */
const readStored = (text: string): RefreshSchedule =>
  RefreshSchedule.safeParse(text.startsWith('{') ? JSON.parse(text) : text).data ?? 'weekly'

/** When a library is due again after a check that succeeded, or that only a person can make succeed. */
export const dueAfter = (ports: SchedulePorts, library: LibraryId, at: Date): { schedule: string; dueAt: Date | undefined } => {
  const { schedule, text } = scheduleOf(ports, library)
  return { schedule: text, dueAt: nextDue(schedule, libraryKey(library), at) }
}
