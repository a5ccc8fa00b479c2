import type { DatabaseSync } from 'node:sqlite'
import type { JobId } from '../../../shared/indexing/indexing-catalog.ts'
import { setAsideGenerations, setAsideSince } from './later-generations.ts'

export type CatalogGenerations = ReturnType<typeof catalogGenerations>

/** Tracks which generations are being written, served or retired. */
export function catalogGenerations(db: DatabaseSync, now: () => Date) {
  const jobOf = db.prepare('SELECT job FROM generations WHERE name = ?')
  /** The number of holders of each generation. */
  const held = new Map<string, number>()
  return {
    reserve(generation: string, job: JobId, version?: string): void {
      // A job that resumes has already reserved its generation.
      db.prepare('INSERT OR IGNORE INTO generations (name, job, version) VALUES (?, ?, ?)').run(generation, job, version ?? null)
    },
    hold(generation: string, work: Promise<unknown>): void {
      const release = () => {
        const others = (held.get(generation) ?? 1) - 1
        if (others === 0) held.delete(generation)
        else held.set(generation, others)
      }
      held.set(generation, (held.get(generation) ?? 0) + 1)
      work.then(release, release)
    },
    isHeld: (generation: string): boolean => held.has(generation),
    /** Retires a generation unless a version still serves it. Returns whether it was retired. */
    retire: (generation: string): boolean =>
      db
        .prepare(
          'UPDATE generations SET retired_at = ?, job = NULL WHERE name = ? AND NOT EXISTS (SELECT 1 FROM versions WHERE generation = name)',
        )
        .run(now().toISOString(), generation).changes > 0,
    unowned(stored: string[], retiredBefore: Date): string[] {
      const needed = db.prepare(`
        SELECT name FROM generations g WHERE name IN (SELECT generation FROM versions)
          OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = g.job AND (j.state IN ('parsing', 'finalizing') OR j.state = 'queued' AND j.kind <> 'parse'))
          OR g.retired_at > :retiredBefore
        UNION ALL ${setAsideGenerations}`)
      const names = new Set([
        ...held.keys(),
        ...needed
          .all({ retiredBefore: retiredBefore.toISOString(), setAsideSince: setAsideSince(now()) })
          .map((row) => String(row.name)),
      ])
      const reserved = db.prepare('SELECT name FROM generations').all()
      return [...new Set([...stored, ...reserved.map((row) => String(row.name))])].filter((each) => !names.has(each))
    },
    /** Marks a generation as served. Other generations of its job for the same version are no longer set aside. */
    serve(generation: string): void {
      // Starts from the names that are set aside, which are few: the generations of a job can only be found by a scan.
      db.prepare(`
        DELETE FROM later_generations WHERE name = :generation OR EXISTS
          (SELECT 1 FROM generations own JOIN generations other USING (job, version)
           WHERE own.name = :generation AND other.name = later_generations.name)
      `).run({ generation })
      db.prepare('UPDATE generations SET job = NULL, retired_at = NULL WHERE name = ?').run(generation)
    },
    stateOf(generation: string): 'written' | 'served' | undefined {
      const row = jobOf.get(generation)
      return row && (row.job === null ? 'served' : 'written')
    },
    forget(generation: string): void {
      db.prepare('DELETE FROM generations WHERE name = ?').run(generation)
      db.prepare('DELETE FROM later_generations WHERE name = ?').run(generation)
    },
  }
}
