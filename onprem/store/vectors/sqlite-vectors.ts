import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import type { Vectors, VectorUser } from '../../../shared/ai/vectors.ts'
import { transaction } from '../../../shared/store/database.ts'
import { batchVectors, idOf, vectorUsers } from './vector-users.ts'

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

  const idsOf = ({ generation, library, model }: VectorUser) => {
    const modelId = idOf(addModel.get(model))
    return { modelId, userId: idOf(addUser.get(generation, library, modelId, now().toISOString())) }
  }
  const useFor = (userId: number, hash: Buffer, vectorId: number) => {
    use.run(userId, vectorId)
    unleave.run(userId, hash)
  }
  return {
    ...vectorUsers(db, now),
    async take(user, hashes, dimensions) {
      const vectorsByHash = new Map<string, Float32Array>()
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
            vectorsByHash.set(hash, new Float32Array((row.vector as Uint8Array).slice().buffer))
          }
        })
        await turn()
      }
      return vectorsByHash
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
  }
}

function* parts<T>(all: T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += batchVectors) yield all.slice(at, at + batchVectors)
}
