import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../shared/store/database.ts'
import type { Actor, AuditLog } from './audit-log.ts'

/** Host names under which an admin has signed in. */
export type KnownHosts = {
  has(name: string): boolean
  /** `actor` is the admin, for the audit log. */
  add(name: string, actor: Actor): void
}

export function sqliteKnownHosts(db: DatabaseSync, audit: Pick<AuditLog, 'record'>): KnownHosts {
  const byName = db.prepare('SELECT 1 FROM known_hosts WHERE name = ?')
  const insert = db.prepare('INSERT OR IGNORE INTO known_hosts (name) VALUES (?)')
  return {
    has: (name) => byName.get(name) !== undefined,
    add: (name, actor) =>
      transaction(db, () => {
        if (insert.run(name).changes > 0) audit.record({ actor, action: 'host.remember', subject: name })
      }),
  }
}
