/**
 * `queued`: it has changed, or only a job can tell; `refused`: its host does not show it; `paused`: its host does not respond; `absent`: no host
 * of the stage has it.
 */
export type CheckOutcome = 'unchanged' | 'queued' | 'refused' | 'failed' | 'paused' | 'absent'

/** The last and the next check of a library. Times are ISO 8601. */
export type LibraryCheck = {
  key: string
  /** The schedule that `dueAt` was planned by, as text. */
  schedule?: string
  dueAt?: string
  /** When its repository last responded. */
  checkedAt?: string | undefined
  outcome?: CheckOutcome | undefined
  /** The reason why the last check failed. */
  error?: string | undefined
  /** Failures since the repository last responded. */
  failures: number
}

/** An entry of the list of due checks. The check of the library decides whether it is still valid. */
export type DueCheck = { key: string; dueAt: string }

export type Plan = { schedule?: string; dueAt: Date | undefined }

export type LibraryChecks = {
  find(key: string): Promise<LibraryCheck | undefined>
  /** Those that exist, by key. */
  findAll(keys: string[]): Promise<Map<string, LibraryCheck>>
  /** The checks that are due, the longest due first, at most `limit`. */
  due(now: Date, limit: number): Promise<DueCheck[]>
  /** Plans the next check of a library, or none. */
  plan(key: string, plan: Plan): Promise<void>
  /** Takes a due check, which is due again at `until` unless it is recorded. Undefined if another round has taken it. */
  take(due: DueCheck, until: Date): Promise<LibraryCheck | undefined>
  /** Records a taken check. If the library was planned again meanwhile, that plan stays. */
  record(taken: LibraryCheck, check: Plan & Omit<LibraryCheck, 'key' | 'dueAt'>): Promise<void>
  /** Deletes the check of a library that does not exist. */
  forget(due: DueCheck): Promise<void>
}

/** When a library was last compared with its repository or read, when it is next, and why the last comparison failed. */
export const checkFacts = (check: LibraryCheck | undefined, readAt: string | undefined) => ({
  lastCheckedAt: latest(check?.checkedAt, readAt),
  nextCheckAt: check?.dueAt,
  checkError: check?.error,
})

const latest = (...times: (string | undefined)[]): string | undefined =>
  times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1)
