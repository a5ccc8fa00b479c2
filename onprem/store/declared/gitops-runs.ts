import type { DatabaseSync } from 'node:sqlite'

export type RunCounts = { created: number; updated: number; unchanged: number; pruned: number; skipped: number }

/** The state of the followed repository after its last check. */
export type GitopsRun = {
  /** The repository, branch and path that were read. */
  source: string
  /** The commit that was last applied as a whole or in part; null before the first. */
  commit: string | null
  /** The page of the file at that commit. */
  fileUrl: string | null
  appliedAt: string | null
  /** False if libraries were skipped, so that the same commit is applied again. */
  isComplete: boolean
  counts: RunCounts | null
  /** Libraries that were skipped, and why. */
  skipped: { library: string; reason: string }[]
  checkedAt: string
  /** The reason why the last check failed, and since when checks fail. */
  failed: { at: string; message: string } | null
}

export type GitopsRuns = { last(): GitopsRun | undefined; store(run: GitopsRun): void }

export function gitopsRuns(db: DatabaseSync): GitopsRuns {
  return {
    last() {
      const row = db.prepare('SELECT run FROM gitops_run').get()
      return row && (JSON.parse(String(row.run)) as GitopsRun)
    },
    store(run) {
      db.prepare('INSERT OR REPLACE INTO gitops_run (id, run) VALUES (1, ?)').run(JSON.stringify(run))
    },
  }
}
