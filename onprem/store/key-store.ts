import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { hashApiKey, isWellFormed, keyPrefixes, makeApiKey, printPrefix } from '../../shared/keys/api-key.ts'
import { shortText } from '../../shared/short-text.ts'

export const roles = ['admin', 'member'] as const
export type Role = (typeof roles)[number]

export const NewKey = z.object({
  name: shortText(100).describe('What the key is for, in listings'),
  expiresAt: z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z')
    .transform((text) => new Date(text))
    .optional()
    .describe('When it stops working; a day without a time means its start in UTC'),
})
export type NewKey = z.infer<typeof NewKey>

/** Who calls with a key. */
export type KeyHolder = { id: string; role: Role; name: string }
type CreatedKey = { id: string; name: string; prefix: string; key: string }
type ListedKey = KeyHolder & {
  prefix: string
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
}

export type KeyStore = {
  /** The only time that the key itself is seen. */
  create(input: NewKey & { role: Role }): CreatedKey
  /** Undefined for a key that is mistyped, unknown, revoked or expired. */
  find(key: string): KeyHolder | undefined
  /** Oldest first, expired ones too. */
  list(): ListedKey[]
  /** False where no key has this id. */
  revoke(id: string): boolean
}

const touchEveryMs = 60_000

export function sqliteKeys(db: DatabaseSync, now: () => Date): KeyStore {
  const insert = db.prepare(
    'INSERT INTO keys (id, name, prefix, hash, role, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const byHash = db.prepare(`SELECT ${columns} FROM keys WHERE hash = ?`)
  const all = db.prepare(`SELECT ${columns} FROM keys ORDER BY created_at, rowid`)
  const touch = db.prepare('UPDATE keys SET last_used_at = ? WHERE id = ?')
  const remove = db.prepare('DELETE FROM keys WHERE id = ?')
  return {
    create({ name, role, expiresAt }) {
      const key = makeApiKey(keyPrefixes.onprem)
      const created = { id: randomUUID(), name, prefix: printPrefix(key), key }
      insert.run(created.id, name, created.prefix, hashApiKey(key), role, now().toISOString(), expiresAt?.toISOString() ?? null)
      return created
    },
    find(key) {
      if (!isWellFormed(key)) return undefined
      const found = byHash.get(hashApiKey(key)) as ListedKey | undefined
      const time = now()
      if (found === undefined || (found.expiresAt !== null && new Date(found.expiresAt) <= time)) return undefined
      if (found.lastUsedAt === null || time.getTime() - Date.parse(found.lastUsedAt) >= touchEveryMs) {
        attempt(() => touch.run(time.toISOString(), found.id))
      }
      return { id: found.id, role: found.role, name: found.name }
    },
    list: () => (all.all() as ListedKey[]).map((row) => ({ ...row })),
    revoke: (id) => remove.run(id).changes > 0,
  }
}

const columns = `id, name, prefix, role,
  created_at AS createdAt, expires_at AS expiresAt, last_used_at AS lastUsedAt`

/** When a key was last used is a courtesy: a full disk or a busy database must not turn its holder away. */
function attempt(write: () => void): void {
  try {
    write()
  } catch {}
}
