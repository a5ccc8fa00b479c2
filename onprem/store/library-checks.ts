import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../shared/store/database.ts'
import type { InstallLibrary } from './catalog/install-library.ts'

export const checkOutcomes = ['unchanged', 'queued', 'refused', 'failed', 'paused', 'absent'] as const
/**
 * How the last check of a library ended: `queued`: it has changed, and a refresh was queued; `refused`: its host does not show it; `paused`: its
 * host does not respond; `absent`: the settings do not name its host.
 */
export type CheckOutcome = (typeof checkOutcomes)[number]

/** Dates are ISO 8601. */
export type LibraryCheck = {
  /** When the repository last responded, or a job has read or imported the library. */
  checkedAt?: string
  dueAt?: string
  /** `refreshed` and `refresh failed` are written by jobs. */
  outcome?: CheckOutcome | 'refreshed' | 'refresh failed'
  /** The reason why the last check or refresh failed. */
  error?: string
  /** Failures since the repository last responded. */
  failures: number
}

/** A library whose next check must be planned: `schedule` is the text of the one that applies now. */
type Unplanned = { key: string; schedule: string; checkedAt: string | undefined }

type NewCheck = Pick<LibraryCheck, 'outcome' | 'error'> & {
  at: Date
  /** True if the repository has responded. */
  responded: boolean
  schedule: string
  dueAt: Date | undefined
}

export type LibraryChecks = {
  of(key: string): LibraryCheck | undefined
  all(): Map<string, LibraryCheck>
  /** Plans the libraries that have no plan, or one by another schedule than theirs, whose default is given as text. */
  plan(defaultSchedule: string, now: Date, dueAt: (library: Unplanned) => Date | undefined): void
  /** The library whose check is due first, without those of `running`. */
  next(now: Date, running: readonly string[]): string | undefined
  /** Postpones a check, without an outcome. */
  postpone(key: string, dueAt: Date): void
  /** Stores the outcome of a check or job. */
  record(key: string, check: NewCheck): void
  /** Libraries with content that have not been checked since then. */
  staleSince(time: Date): number
}

const columns = 'checked_at AS checkedAt, due_at AS dueAt, outcome, error, failures'
/** JSON of a schedule with a time; a name such as `daily` as it is. */
const scheduleOf = "iif(l.imported = 1, 'off', coalesce(json_extract(l.settings, '$.schedule'), :default))"

export function libraryChecks(db: DatabaseSync): LibraryChecks {
  const one = db.prepare(`SELECT ${columns} FROM library_checks WHERE key = ?`)
  const every = db.prepare(`SELECT key, ${columns} FROM library_checks`)
  const unplanned = db.prepare(`
    SELECT l.key, ${scheduleOf} AS schedule,
      coalesce(c.checked_at, (SELECT max(updated_at) FROM versions WHERE key = l.key)) AS checkedAt
    FROM libraries l LEFT JOIN library_checks c USING (key)
    WHERE c.key IS NULL OR c.schedule <> ${scheduleOf} OR c.checked_at > :now`)
  const setPlan = db.prepare(`
    INSERT INTO library_checks (key, schedule, due_at) VALUES (:key, :schedule, :dueAt)
    ON CONFLICT DO UPDATE SET schedule = :schedule, due_at = :dueAt`)
  const nextDue = db.prepare(`
    SELECT key FROM library_checks c WHERE due_at <= :now AND key NOT IN (SELECT value FROM json_each(:running))
      AND EXISTS (SELECT 1 FROM shown_versions WHERE key = c.key)
    ORDER BY due_at LIMIT 1`)
  const setDue = db.prepare('UPDATE library_checks SET due_at = ? WHERE key = ?')
  const setCheck = db.prepare(`
    INSERT INTO library_checks (key, schedule, due_at, checked_at, outcome, error, failures)
      VALUES (:key, :schedule, :dueAt, iif(:responded, :at, NULL), :outcome, :error, iif(:error IS NULL, 0, 1))
    ON CONFLICT DO UPDATE SET schedule = :schedule, due_at = :dueAt, checked_at = iif(:responded, :at, checked_at), outcome = :outcome,
      error = :error, failures = iif(:error IS NULL, 0, failures + 1)`)
  const stale = db.prepare(`
    SELECT count(*) AS libraries FROM (SELECT key, max(updated_at) AS writtenAt FROM shown_versions GROUP BY key) v
    LEFT JOIN library_checks c USING (key) WHERE max(writtenAt, coalesce(c.checked_at, '')) < ?`)
  return {
    of: (key) => toCheck(one.get(key)),
    all: () => new Map(every.all().flatMap((row) => [[String(row.key), toCheck(row) ?? { failures: 0 }] as const])),
    plan(defaultSchedule, now, dueAt) {
      const libraries = unplanned.all({ default: defaultSchedule, now: now.toISOString() }) as (Unplanned & {
        checkedAt: string | null
      })[]
      if (libraries.length === 0) return
      transaction(db, () => {
        for (const { key, schedule, checkedAt } of libraries) {
          const due = dueAt({ key, schedule, checkedAt: checkedAt ?? undefined })
          setPlan.run({ key, schedule, dueAt: due?.toISOString() ?? null })
        }
      })
    },
    next(now, running) {
      const row = nextDue.get({ now: now.toISOString(), running: JSON.stringify(running) })
      return row && String(row.key)
    },
    postpone: (key, dueAt) => void setDue.run(dueAt.toISOString(), key),
    record(key, { at, responded, schedule, dueAt, outcome, error }) {
      setCheck.run({
        key,
        at: at.toISOString(),
        responded: responded ? 1 : 0,
        schedule,
        dueAt: dueAt?.toISOString() ?? null,
        outcome: outcome ?? null,
        error: error ?? null,
      })
    },
    staleSince: (time) => Number(stale.get(time.toISOString())?.libraries),
  }
}

/** The later of its last check and the time of its content. */
export const lastCheckedAt = (
  { writtenAt }: Pick<InstallLibrary, 'writtenAt'>,
  check: LibraryCheck | undefined,
): string | undefined =>
  writtenAt === undefined || (check?.checkedAt !== undefined && check.checkedAt > writtenAt) ? check?.checkedAt : writtenAt

function toCheck(row: Record<string, unknown> | undefined): LibraryCheck | undefined {
  if (!row) return undefined
  const known = Object.entries(row).filter(([name, value]) => name !== 'key' && value !== null)
  return Object.fromEntries(known) as LibraryCheck
}
