import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../shared/settings/secret-box.ts'
import { transaction } from '../../shared/store/database.ts'
import type { Delivery, Hook } from './hook.ts'

/** Webhooks with their encrypted secrets, their last deliveries, and the refreshes that wait for a running job. */
export type HookStore = {
  create(hook: Omit<Hook, 'id' | 'createdAt'>, secret: string): Hook
  /** Oldest first. */
  list(): (Hook & { lastDeliveryAt: string | null })[]
  find(id: string): Hook | undefined
  /** Throws data_damaged if it cannot be decrypted. */
  secretOf(id: string): string
  /** False if there is no such webhook. */
  remove(id: string): boolean
  /** Newest first. */
  deliveries(id: string): Delivery[]
  record(hook: string, delivery: Omit<Delivery, 'times' | 'at'>): void
  /** Remembers a delivery by its identities. False if one of them is known. */
  remember(hook: string, identities: readonly string[]): boolean
  forget(hook: string, identities: readonly string[]): void
  /** Remembers that a library is refreshed after its running job. */
  wait(library: string, hook: string): void
  waiting(): { library: string; hook: string }[]
  stopWaiting(library: string): void
}

const maxDeliveries = 100
const maxRemembered = 100_000
const columns = 'id, kind, name, library, host, created_at AS createdAt'

export function sqliteHooks(db: DatabaseSync, box: SecretBox, now: () => Date): HookStore {
  const time = () => now().toISOString()
  const byId = db.prepare(`SELECT ${columns} FROM hooks WHERE id = ?`)
  const secretById = db.prepare('SELECT secret FROM hooks WHERE id = ?')
  const all = db.prepare(
    `SELECT ${columns}, (SELECT max(at) FROM hook_deliveries WHERE hook = hooks.id) AS lastDeliveryAt FROM hooks ORDER BY created_at, rowid`,
  )
  const insert = db.prepare('INSERT INTO hooks (id, kind, name, library, host, secret, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)')
  const listed = db.prepare(
    "SELECT event, nullif(library, '') AS library, outcome, detail, nullif(job, 0) AS job, times, at FROM hook_deliveries WHERE hook = ? ORDER BY at DESC, id DESC",
  )
  const upsert = db.prepare(`
    INSERT INTO hook_deliveries (hook, event, library, outcome, detail, job, times, at) VALUES (?, ?, ?, ?, ?, ?, 1, ?)
    ON CONFLICT DO UPDATE SET times = times + 1, at = excluded.at RETURNING times`)
  const prune = db.prepare(
    'DELETE FROM hook_deliveries WHERE hook = :hook AND id NOT IN (SELECT id FROM hook_deliveries WHERE hook = :hook ORDER BY at DESC, id DESC LIMIT :max)',
  )
  const known = db.prepare('SELECT 1 FROM hook_seen WHERE hook = ? AND identity = ?')
  const see = db.prepare('INSERT OR IGNORE INTO hook_seen (hook, identity) VALUES (?, ?)')
  const pruneSeen = db.prepare('DELETE FROM hook_seen WHERE id <= (SELECT max(id) FROM hook_seen) - ?')
  const unsee = db.prepare('DELETE FROM hook_seen WHERE hook = ? AND identity = ?')
  const wait = db.prepare('INSERT OR REPLACE INTO hook_waits (library, hook) VALUES (?, ?)')
  const waits = db.prepare('SELECT library, hook FROM hook_waits ORDER BY rowid')
  const unwait = db.prepare('DELETE FROM hook_waits WHERE library = ?')
  return {
    create(hook, secret) {
      const created = { ...hook, id: randomBytes(16).toString('base64url'), createdAt: time() }
      const { id, kind, name, library, host, createdAt } = created
      insert.run(id, kind, name, library, host, box.seal(secret, contextOf(id)), createdAt)
      return created
    },
    list: () => all.all().map((row) => ({ ...row }) as ReturnType<HookStore['list']>[number]),
    find(id) {
      const row = byId.get(id)
      return row && ({ ...row } as Hook)
    },
    secretOf: (id) => box.open(String(secretById.get(id)?.secret), contextOf(id)),
    remove(id) {
      return transaction(db, () => {
        for (const table of ['hook_deliveries', 'hook_seen', 'hook_waits'])
          db.prepare(`DELETE FROM ${table} WHERE hook = ?`).run(id)
        return Number(db.prepare('DELETE FROM hooks WHERE id = ?').run(id).changes) > 0
      })
    },
    deliveries: (id) => listed.all(id).map((row) => ({ ...row }) as Delivery),
    record(hook, { event, library, outcome, detail, job }) {
      transaction(db, () => {
        const row = upsert.get(hook, event, library ?? '', outcome, detail, job ?? 0, time())
        if (row?.times === 1) prune.run({ hook, max: maxDeliveries })
      })
    },
    remember(hook, identities) {
      return transaction(db, () => {
        if (identities.some((identity) => known.get(hook, identity))) return false
        for (const identity of identities) see.run(hook, identity)
        pruneSeen.run(maxRemembered)
        return true
      })
    },
    forget(hook, identities) {
      transaction(db, () => {
        for (const identity of identities) unsee.run(hook, identity)
      })
    },
    wait: (library, hook) => void wait.run(library, hook),
    waiting: () => waits.all().map((row) => ({ ...row }) as { library: string; hook: string }),
    stopWaiting: (library) => void unwait.run(library),
  }
}

/** A secret cannot be decrypted for another webhook. */
const contextOf = (id: string): string => `hook\n${id}`
