import type { DatabaseSync } from 'node:sqlite'
import { keyOfVersion } from '../../../shared/library.ts'
import type { CountedId } from '../../../shared/usage/counters.ts'
import { countUsers, fromBytes, mergeUsers, noUsers, toBytes } from '../../../shared/usage/unique-users.ts'

/** The sum of all clients. */
export const allClients = ''

/** The id under which the install counts for itself. */
export const allLibraries = ''

export const isVersion = (id: CountedId): boolean => id.includes('@')

const tables = ['usage_days', 'usage_times', 'usage_topics', 'usage_day_topics', 'usage_countries', 'usage_users']

/**
 * Deletes the counters of a library that is no longer in the catalog with all its versions, or of one version (`key@version`). The totals of the
 * install stay, but not the names of clients that only this library had. Checkpoints are kept, so that nothing is counted twice.
 */
export function deleteUsage(db: DatabaseSync, key: string, version?: string): void {
  const [condition, values] =
    version === undefined
      ? ["id = :key OR id > :key || '@' AND id < :key || 'A'", { key }]
      : ['id = :id', { id: keyOfVersion(key, version) }]
  const clients = version === undefined ? clientsOf(db, key) : []
  for (const table of tables) db.prepare(`DELETE FROM ${table} WHERE ${condition}`).run(values as Record<string, string>)
  for (const client of clients) recountClient(db, client)
}

/** Deletes the counters of libraries that are no longer in the catalog: a request may have been counted just after the deletion. */
export function deleteOrphans(db: DatabaseSync): void {
  const orphans = db.prepare(
    `SELECT DISTINCT id FROM usage_days WHERE id <> '${allLibraries}' AND instr(id, '@') = 0 AND id NOT IN (SELECT key FROM libraries)`,
  )
  for (const { id } of orphans.all()) deleteUsage(db, String(id))
}

type ClientDay = { date: string; client: string }

const clientsOf = (db: DatabaseSync, key: string): ClientDay[] =>
  db.prepare(`SELECT date, client FROM usage_users WHERE id = ? AND client <> '${allClients}'`).all(key) as ClientDay[]

/**
 * The users of a client in the whole install, without those who used only deleted libraries. When the sets of that day are deleted, it is not known
 * who uses several libraries; then the number is at most the sum of those of the libraries.
 */
function recountClient(db: DatabaseSync, { date, client }: ClientDay): void {
  const remaining = db
    .prepare('SELECT sketch, users FROM usage_users u JOIN libraries l ON l.key = u.id WHERE u.date = ? AND u.client = ?')
    .all(date, client)
  if (remaining.length === 0) {
    db.prepare('DELETE FROM usage_users WHERE id = ? AND date = ? AND client = ?').run(allLibraries, date, client)
    return
  }
  const sketches = remaining.flatMap(({ sketch }) => (sketch instanceof Uint8Array ? [fromBytes(sketch)] : []))
  const sum = remaining.reduce((all, { users }) => all + Number(users), 0)
  const isComplete = sketches.length === remaining.length
  const set = isComplete ? sketches.reduce(mergeUsers, noUsers()) : undefined
  db.prepare('UPDATE usage_users SET users = min(users, ?), sketch = ? WHERE id = ? AND date = ? AND client = ?').run(
    set ? countUsers(set) : sum,
    set ? toBytes(set) : null,
    allLibraries,
    date,
    client,
  )
}
