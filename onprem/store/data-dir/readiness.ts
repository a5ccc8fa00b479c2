import { access } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import { withTimeout } from '../../../shared/time/with-timeout.ts'
import type { Damage } from './damage.ts'
import type { DataPaths } from './data-paths.ts'

const minIntervalMs = 250
const maxMs = 1_000

/**
 * Returns a function that reports whether `check` succeeds. It checks at most four times a second, however often it is called. A check that
 * takes longer than a second has failed, and no other one starts before it ends.
 */
export function readiness(check: () => Promise<unknown>): () => Promise<boolean> {
  let checking = false
  let checkedAt = Number.NEGATIVE_INFINITY
  let answer = Promise.resolve(false)
  const begin = () => {
    checking = true
    const checked = check().finally(() => {
      checking = false
      checkedAt = performance.now()
    })
    return withTimeout('A check of the stores', maxMs, () => checked).then(
      () => true,
      () => false,
    )
  }
  return () => {
    if (!checking && performance.now() - checkedAt >= minIntervalMs) answer = begin()
    return answer
  }
}

type StorePorts = { db: DatabaseSync; damage: Pick<Damage, 'note' | 'messages'>; paths: Pick<DataPaths, 'snippets'> }

/** Throws if the database or the folder of the snippets is gone, damaged, does not respond or cannot be used by this user. */
export async function checkStores({ db, damage, paths }: StorePorts, snippetsDir: string): Promise<void> {
  const broken = damage.messages()[0] ?? paths.snippets()
  if (broken !== undefined) throw new Error(broken)
  try {
    readEachTable(db)
  } catch (error) {
    damage.note(error)
    throw error
  }
  await Promise.all([snippetsDir, db.location() ?? ''].map((path) => access(path)))
}

/** Reads the first page of each table. A count would only read an index and miss a damaged table. */
function readEachTable(db: DatabaseSync): void {
  for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all())
    db.prepare(`SELECT 1 FROM "${name}" NOT INDEXED LIMIT 1`).get()
}
