import { access } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import { withTimeout } from '../../shared/time/with-timeout.ts'
import type { Damage } from './damage.ts'

const keptMs = 250
const maxMs = 1_000

/**
 * Whether the stores answer to `look`: asked however often, it looks four times a second. A look that takes longer than a second
 * counts as a no, and none is begun beside it.
 */
export function readiness(look: () => Promise<unknown>): () => Promise<boolean> {
  let looking = false
  let lookedAt = Number.NEGATIVE_INFINITY
  let answer = Promise.resolve(false)
  const begin = () => {
    looking = true
    const looked = look().finally(() => {
      looking = false
      lookedAt = performance.now()
    })
    return withTimeout('A look at the stores', maxMs, () => looked).then(
      () => true,
      () => false,
    )
  }
  return () => {
    if (!looking && performance.now() - lookedAt >= keptMs) answer = begin()
    return answer
  }
}

/** Throws if the database or the folder of the snippets is gone, damaged or does not respond. */
export async function checkStores(db: DatabaseSync, snippetsDir: string, damage: Pick<Damage, 'note' | 'found'>): Promise<void> {
  const [damaged] = damage.found()
  if (damaged !== undefined) throw new Error(damaged)
  try {
    readEachTable(db)
  } catch (error) {
    damage.note(error)
    throw error
  }
  await Promise.all([snippetsDir, db.location() ?? ''].map((path) => access(path)))
}

/** Reads the first page of each table: a count, for one, reads an index and would not meet a damaged table. */
function readEachTable(db: DatabaseSync): void {
  for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all())
    db.prepare(`SELECT 1 FROM "${name}" NOT INDEXED LIMIT 1`).get()
}
