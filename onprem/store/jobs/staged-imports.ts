import type { DatabaseSync } from 'node:sqlite'
import { unfinishedStates } from './job.ts'

export type StagedImports = {
  /**
   * Names of staged elements that are still needed: by unfinished imports, and by imports that failed or were cancelled recently and can
   * be retried because no later job wrote the same content. Also the uploaded files of libraries, and of jobs that read them.
   */
  stagedImports(): Set<string>
  /** Names that the ended imports of a library and its versions have left. If the key names a version, only those of that version. */
  stagedOf(key: string): string[]
}

/** True if `claim` of the import folder returned the name, so that it is no path. */
export const isStagedName = (name: string): boolean => /^[0-9a-f]{16}$/.test(name)

/** Time for a retry of a failed run. Until then its staged elements and paid results are kept. */
export const retryableMs = 7 * 24 * 60 * 60_000

export const stagedImports = (db: DatabaseSync, now: () => Date): StagedImports => ({
  stagedImports() {
    const rows = db
      .prepare(
        `SELECT json_extract(request, '$.staged') AS staged FROM jobs j WHERE kind = 'import' AND (state IN ${unfinishedStates} OR
            state IN ('failed', 'cancelled') AND finished_at > ? AND NOT EXISTS
              (SELECT 1 FROM jobs later WHERE later.key = j.key AND later.kind <> 'reindex' AND later.state = 'done' AND later.id > j.id))
          UNION SELECT json_extract(request, '$.source.upload') FROM jobs j WHERE kind = 'parse' AND (state IN ${unfinishedStates} OR
            state IN ('failed', 'cancelled') AND dismissed = 0 AND NOT EXISTS
              (SELECT 1 FROM jobs later WHERE later.key = j.key AND later.kind = 'parse' AND later.id > j.id))
          UNION SELECT json_extract(settings, '$.source.upload') FROM libraries`,
      )
      .all(new Date(now().getTime() - retryableMs).toISOString())
    return new Set(rows.flatMap(({ staged }) => (staged === null ? [] : [String(staged)])))
  },
  stagedOf: (key) =>
    db
      .prepare(
        `SELECT json_extract(request, '$.staged') AS staged FROM jobs WHERE kind = 'import' AND state NOT IN ${unfinishedStates}
            AND (key = :key OR substr(key, 1, length(:key) + 1) = :key || '@')`,
      )
      .all({ key })
      .map(({ staged }) => String(staged)),
})
