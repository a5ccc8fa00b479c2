import { type RefreshSchedule, scheduleText } from '../../shared/freshness/refresh-schedule.ts'
import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { NamedLibraries } from '../catalog/catalog-snapshot.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import { type CheckDuePorts, dueAfter, scheduleOf } from './check-due.ts'
import type { LibraryCheck, LibraryChecks, Plan } from './library-checks.ts'

export type PlanChecksPorts = Pick<CheckDuePorts, 'defaultSchedule' | 'now'> & {
  names: NamedLibraries
  catalog: Pick<HostedCatalog, 'records'>
  checks: Pick<LibraryChecks, 'findAll' | 'plan'>
}

const dayMs = 24 * 3_600_000
/** The part of a day that a round looks at: longer than the time between two rounds. */
const sliceMs = 10 * 60_000
/** A check that is due for so long may be missing in the list of due checks. */
const lostMs = 6 * 3_600_000

/**
 * Plans the checks of libraries that are new, whose schedule has changed, or whose plan a crash has lost. Each round looks at some libraries, so
 * that a day reads the check of each a few times.
 */
export async function planChecks(ports: PlanChecksPorts): Promise<void> {
  const { names, catalog, checks, now } = ports
  const keys = (await names.listed()).libraries.map(({ id }) => libraryKey(parseLibraryId(id))).sort()
  const slice = sliceOf(keys, now())
  const existing = await checks.findAll(slice)
  for (const record of await catalog.records(slice)) {
    const schedule = scheduleOf(record, ports)
    const plan = newPlan(record.key, schedule, existing.get(record.key), now())
    if (plan) await checks.plan(record.key, plan)
  }
}

/** Undefined if the plan of a library is valid. */
function newPlan(key: string, schedule: RefreshSchedule, check: LibraryCheck | undefined, now: Date): Plan | undefined {
  const text = scheduleText(schedule)
  if (check?.dueAt !== undefined && new Date(check.dueAt) <= now) {
    // A check that is due plans the next one.
    const isLost = now.getTime() - Date.parse(check.dueAt) >= lostMs
    return isLost ? { schedule: text, dueAt: new Date(check.dueAt) } : undefined
  }
  const isValid = check?.schedule === text && (check.dueAt !== undefined || schedule === 'off')
  return isValid ? undefined : { schedule: text, dueAt: dueAfter(schedule, key, new Date(check?.checkedAt ?? now)) }
}

/** The share of the sorted keys whose turn it is at a time of the day; all if there are few. */
function sliceOf(keys: string[], now: Date): string[] {
  if (keys.length <= 100) return keys
  const at = now.getTime() % dayMs
  const from = Math.floor((keys.length * (at - sliceMs)) / dayMs)
  const to = Math.floor((keys.length * at) / dayMs) + 1
  return Array.from({ length: to - from }, (_, n) => keys.at((from + n) % keys.length) ?? '')
}
