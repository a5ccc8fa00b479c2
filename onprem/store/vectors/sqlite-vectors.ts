import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import type { Vectors, VectorUser } from '../../../shared/ai/vectors.ts'
import { transaction } from '../../../shared/store/database.ts'

/** Vectors in one transaction. The server handles requests between transactions. */
const batchVectors = 200
/** Free pages that are kept for new vectors; the others are returned to the disk. */
const maxFreePages = 200
const vacuumPages = 100
const batchCopies = 2000
const idOfCopy = '(SELECT id FROM generations WHERE name = :to)'
const copied = `(SELECT vector FROM uses WHERE generation = (SELECT id FROM generations WHERE name = :from) AND vector > :after
  ORDER BY vector LIMIT :limit)`

/** Vectors in the database that `openVectors` opens. */
export function sqliteVectors(db: DatabaseSync, now: () => Date): Vectors {
  const addModel = db.prepare('INSERT INTO models (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET name = name RETURNING id')
  const addUser = db.prepare(`
    INSERT INTO generations (name, library, model, since) VALUES (?, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET library = excluded.library, model = excluded.model RETURNING id`)
  const find = db.prepare('SELECT id, vector FROM vectors WHERE model = ? AND hash = ? AND (? IS NULL OR length(vector) = ?)')
  const add = db.prepare(`
    INSERT INTO vectors (model, hash, vector) VALUES (?, ?, ?)
    ON CONFLICT (model, hash) DO UPDATE SET vector = excluded.vector RETURNING id`)
  const use = db.prepare('INSERT OR IGNORE INTO uses (generation, vector) VALUES (?, ?)')
  const leave = db.prepare('INSERT OR REPLACE INTO left_out (generation, hash, path, reason) VALUES (?, ?, ?, ?)')
  const unleave = db.prepare('DELETE FROM left_out WHERE generation = ? AND hash = ?')
  const countLeftOut = db.prepare(
    'SELECT count(*) AS count FROM left_out JOIN generations g ON g.id = generation WHERE g.name = ?',
  )
  const leftOut = db.prepare(
    'SELECT path, reason FROM left_out JOIN generations g ON g.id = generation WHERE g.name = ? ORDER BY path LIMIT ?',
  )
  const used = db.prepare('SELECT vector FROM uses WHERE generation = ? LIMIT ?')
  const unuse = db.prepare('DELETE FROM uses WHERE generation = ? AND vector = ?')
  const removeUnused = db.prepare('DELETE FROM vectors WHERE id = $id AND NOT EXISTS (SELECT 1 FROM uses WHERE vector = $id)')

  const idsOf = ({ generation, library, model }: VectorUser) => {
    const modelId = idOf(addModel.get(model))
    return { modelId, userId: idOf(addUser.get(generation, library, modelId, now().toISOString())) }
  }
  const useFor = (userId: number, hash: Buffer, vectorId: number) => {
    use.run(userId, vectorId)
    unleave.run(userId, hash)
  }
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

  return {
    async take(user, hashes, dimensions) {
      const found = new Map<string, Float32Array>()
      const bytes = dimensions === undefined ? null : dimensions * Float32Array.BYTES_PER_ELEMENT
      for (const some of parts(hashes)) {
        transaction(db, () => {
          const { modelId, userId } = idsOf(user)
          for (const hash of some) {
            const key = Buffer.from(hash, 'hex')
            const row = find.get(modelId, key, bytes, bytes)
            if (!row) continue
            useFor(userId, key, idOf(row))
            // A Float32Array needs aligned memory, so the bytes are copied.
            found.set(hash, new Float32Array((row.vector as Uint8Array).slice().buffer))
          }
        })
        await turn()
      }
      return found
    },
    async put(user, made) {
      for (const some of parts(made)) {
        transaction(db, () => {
          const { modelId, userId } = idsOf(user)
          for (const { hash, vector } of some) {
            const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
            const key = Buffer.from(hash, 'hex')
            useFor(userId, key, idOf(add.get(modelId, key, bytes)))
          }
        })
        await turn()
      }
    },
    async leaveOut(user, snippets) {
      for (const some of parts(snippets)) {
        transaction(db, () => {
          const { userId } = idsOf(user)
          for (const { hash, path, reason } of some) leave.run(userId, Buffer.from(hash, 'hex'), path, reason)
        })
        await turn()
      }
    },
    leftOut: (generation, limit) => ({
      count: Number(countLeftOut.get(generation)?.count),
      snippets: leftOut.all(generation, limit).map(({ path, reason }) => ({ path: String(path), reason: String(reason) })),
    }),
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
      await shrink(db)
    },
  }
}

/** Returns free pages to the disk, and removes deleted data from the write-ahead log. */
async function shrink(db: DatabaseSync): Promise<void> {
  const free = () => Number(db.prepare('PRAGMA freelist_count').get()?.freelist_count)
  for (let before = Number.POSITIVE_INFINITY; free() > maxFreePages && free() < before; await turn()) {
    before = free()
    db.exec(`PRAGMA incremental_vacuum(${vacuumPages})`)
  }
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

const idOf = (row: Record<string, unknown> | undefined): number => Number(row?.id)

function* parts<T>(all: T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += batchVectors) yield all.slice(at, at + batchVectors)
}
