import type { DatabaseSync } from 'node:sqlite'
import type { Vectors } from '../../shared/ai/vectors.ts'
import { copyOf, type Job, jobKinds, unfinishedStates } from '../store/jobs/job.ts'

export type StoreCounts = {
  libraries: number
  versions: number
  snippets: number
  vectors: number
  queue: { kind: Job['kind']; waiting: number; running: number; oldestAt: string | null }[]
}

/** Reads narrow columns and an index only: a monitoring system asks every few seconds. */
export function storeCounts(
  db: DatabaseSync,
  vectors: Pick<Vectors, 'count'>,
): { counts(): StoreCounts; generations(): string[] } {
  const content = db.prepare(
    'SELECT count(DISTINCT key) AS libraries, count(*) AS versions, coalesce(sum(snippets), 0) AS snippets, coalesce(sum(iif(model IS NULL, 0, snippets)), 0) AS vectors FROM shown_versions',
  )
  const queue = db.prepare(
    "SELECT kind, sum(state = 'queued') AS waiting, sum(state <> 'queued') AS running, min(iif(state = 'queued', created_at, NULL)) AS oldestAt FROM jobs WHERE state IN ('queued', 'parsing', 'finalizing') GROUP BY kind",
  )
  /** Content without vectors, which a job is making. */
  const copied = db.prepare(`
    SELECT jobs.id, generation, versions.snippets FROM jobs JOIN versions USING (key)
    WHERE kind = 'reindex' AND state IN ${unfinishedStates} AND started_at IS NOT NULL AND model IS NULL`)
  const made = () =>
    copied.all().reduce((sum, { id, generation, snippets }) => {
      return sum + Math.min(Number(snippets), vectors.count(copyOf(Number(id), String(generation))))
    }, 0)
  const generations = db.prepare('SELECT DISTINCT generation FROM versions')
  return {
    counts() {
      const rowsByKind = new Map(queue.all().map((row) => [row.kind, row]))
      const stored = content.get() as Omit<StoreCounts, 'queue'>
      return {
        ...stored,
        vectors: stored.vectors + made(),
        queue: jobKinds.map((kind) => {
          const { waiting = 0, running = 0, oldestAt = null } = rowsByKind.get(kind) ?? {}
          return { kind, waiting: Number(waiting), running: Number(running), oldestAt: oldestAt as string | null }
        }),
      }
    },
    generations: () => generations.all().map(({ generation }) => String(generation)),
  }
}
