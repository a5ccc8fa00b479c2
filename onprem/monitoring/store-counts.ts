import type { DatabaseSync } from 'node:sqlite'

type JobKind = 'parse' | 'import' | 'reindex'
export const jobKinds: readonly JobKind[] = ['parse', 'import', 'reindex']

export type StoreCounts = {
  libraries: number
  versions: number
  snippets: number
  vectors: number
  queue: { kind: JobKind; waiting: number; running: number; oldestAt: string | null }[]
}

/** Reads narrow columns and an index only: a monitoring system asks every few seconds. */
export function storeCounts(db: DatabaseSync): { counts(): StoreCounts; generations(): string[] } {
  const content = db.prepare(
    'SELECT count(DISTINCT key) AS libraries, count(*) AS versions, coalesce(sum(snippets), 0) AS snippets, coalesce(sum(iif(model IS NULL, 0, snippets)), 0) AS vectors FROM versions',
  )
  const queue = db.prepare(
    "SELECT kind, sum(state = 'queued') AS waiting, sum(state <> 'queued') AS running, min(iif(state = 'queued', created_at, NULL)) AS oldestAt FROM jobs WHERE state IN ('queued', 'parsing', 'finalizing') GROUP BY kind",
  )
  const generations = db.prepare('SELECT DISTINCT generation FROM versions')
  return {
    counts() {
      const rowsByKind = new Map(queue.all().map((row) => [row.kind, row]))
      return {
        ...(content.get() as Omit<StoreCounts, 'queue'>),
        queue: jobKinds.map((kind) => {
          const { waiting = 0, running = 0, oldestAt = null } = rowsByKind.get(kind) ?? {}
          return { kind, waiting: Number(waiting), running: Number(running), oldestAt: oldestAt as string | null }
        }),
      }
    },
    generations: () => generations.all().map(({ generation }) => String(generation)),
  }
}
