import type { DatabaseSync } from 'node:sqlite'

/** `host` is the name of the server under which it was added, for which alone it is valid. */
export type Passkey = { id: string; name: string; host: string; createdAt: string; lastUsedAt: string | null }
/** `publicKey` is COSE in base64url. */
export type PasskeyKey = { name: string; host: string; publicKey: string; counter: number; transports: string[] }

export type PasskeyStore = {
  /** Oldest first. */
  list(userId: string): Passkey[]
  find(userId: string, id: string): PasskeyKey | undefined
  /** Returns false if a user has this passkey already. */
  add(userId: string, id: string, key: PasskeyKey): boolean
  remove(userId: string, id: string): boolean
  /** Stores the signature counter. Returns false if it has not grown, unless the authenticator has none, or if the passkey was removed. */
  use(userId: string, id: string, counter: number): boolean
}

/** Passkeys in the database of the install. */
export function sqlitePasskeys(db: DatabaseSync, now: () => Date): PasskeyStore {
  const list = db.prepare(
    'SELECT id, name, host, created_at AS createdAt, last_used_at AS lastUsedAt FROM passkeys WHERE user_id = ? ORDER BY created_at, id',
  )
  const find = db.prepare(
    'SELECT name, host, public_key AS publicKey, counter, transports FROM passkeys WHERE user_id = ? AND id = ?',
  )
  const add = db.prepare(
    'INSERT OR IGNORE INTO passkeys (id, user_id, name, host, public_key, counter, transports, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const remove = db.prepare('DELETE FROM passkeys WHERE user_id = ? AND id = ?')
  const use = db.prepare(
    'UPDATE passkeys SET counter = ?, last_used_at = ? WHERE user_id = ? AND id = ? AND (counter < ? OR (counter = 0 AND ? = 0))',
  )
  const at = () => now().toISOString()
  return {
    list: (userId) => list.all(userId).map((row) => ({ ...row }) as Passkey),
    find(userId, id) {
      const row = find.get(userId, id)
      return row && ({ ...row, transports: JSON.parse(String(row.transports)) } as PasskeyKey)
    },
    add: (userId, id, { name, host, publicKey, counter, transports }) =>
      add.run(id, userId, name, host, publicKey, counter, JSON.stringify(transports), at()).changes > 0,
    remove: (userId, id) => remove.run(userId, id).changes > 0,
    use: (userId, id, counter) => use.run(counter, at(), userId, id, counter, counter).changes > 0,
  }
}
