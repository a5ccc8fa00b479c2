import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import type { Vectors } from '../../../shared/ai/vectors.ts'
import { transaction } from '../../../shared/store/database.ts'
import { shrinkDatabase } from '../shrink-database.ts'

/** Vectors in one transaction. The server handles requests between transactions. */
export const batchVectors = 200
const batchCopies = 2000
const idOfCopy = '(SELECT id FROM generations WHERE name = :to)'
const copied = `(SELECT vector FROM uses WHERE generation = (SELECT id FROM generations WHERE name = :from) AND vector > :after
  ORDER BY vector LIMIT :limit)`

export const idOf = (row: Record<string, unknown> | undefined): number => Number(row?.id)

/** The generations that use vectors. */
export function vectorUsers(
  db: DatabaseSync,
  now: () => Date,
): Pick<Vectors, 'count' | 'copy' | 'modelOf' | 'users' | 'disown' | 'forget'> {
  const used = db.prepare('SELECT vector FROM uses WHERE generation = ? LIMIT ?')
  const unuse = db.prepare('DELETE FROM uses WHERE generation = ? AND vector = ?')
  const removeUnused = db.prepare('DELETE FROM vectors WHERE id = $id AND NOT EXISTS (SELECT 1 FROM uses WHERE vector = $id)')
  /** Deletes the first vectors of a generation. Returns whether there may be more. */
  const forgetSome = (userId: number) =>
    transaction(db, () => {
      const vectors = used.all(userId, batchVectors).map(({ vector }) => Number(vector))
      for (const vector of vectors) {
        unuse.run(userId, vector)
        removeUnused.run({ id: vector })
      }
      return vectors.length === batchVectors
    })

  const count = db.prepare('SELECT count(*) AS count FROM uses WHERE generation = (SELECT id FROM generations WHERE name = ?)')
  return {
    count: (generation) => Number(count.get(generation)?.count),
    async copy(from, to) {
      db.prepare(
        'INSERT OR IGNORE INTO generations (name, library, model, since) SELECT ?, library, model, ? FROM generations WHERE name = ?',
      ).run(to, now().toISOString(), from)
      db.prepare(
        `INSERT OR IGNORE INTO left_out SELECT ${idOfCopy}, hash, path, reason FROM left_out WHERE generation = (SELECT id FROM generations WHERE name = :from)`,
      ).run({ from, to })
      for (let after: unknown = -1; after !== null; await turn()) {
        after = transaction(db, () => {
          const part = { from, after: Number(after), limit: batchCopies }
          const last = db.prepare(`SELECT max(vector) AS last FROM ${copied}`).get(part)?.last ?? null
          if (last !== null)
            db.prepare(`INSERT OR IGNORE INTO uses SELECT ${idOfCopy}, vector FROM ${copied}`).run({ ...part, to })
          return last
        })
      }
    },
    modelOf(generation) {
      const row = db.prepare('SELECT m.name FROM generations g JOIN models m ON m.id = g.model WHERE g.name = ?').get(generation)
      return row && String(row.name)
    },
    users: () =>
      db
        .prepare('SELECT name, library, since FROM generations ORDER BY id')
        .all()
        .map(({ name, library, since }) => ({
          generation: String(name),
          library: String(library),
          since: new Date(String(since)),
        })),
    disown: (library) =>
      void db.prepare('UPDATE generations SET since = ? WHERE library = ?').run(new Date(0).toISOString(), library),
    async forget(generation) {
      const user = db.prepare('SELECT id FROM generations WHERE name = ?').get(generation)
      if (!user) return
      db.prepare('DELETE FROM left_out WHERE generation = ?').run(idOf(user))
      while (forgetSome(idOf(user))) await turn()
      db.prepare('DELETE FROM generations WHERE id = ?').run(idOf(user))
      db.exec('DELETE FROM models WHERE id NOT IN (SELECT model FROM generations) AND id NOT IN (SELECT model FROM vectors)')
      await shrinkDatabase(db)
    },
  }
}
