import type { DatabaseSync } from 'node:sqlite'
import type { Install } from '../../shared/cli/install.ts'
import { transaction } from '../../shared/store/database.ts'
import type { Caller } from '../access/caller.ts'
import { sqliteAudit } from '../accounts/audit-log.ts'

/** The caller of a command: anyone who can write to the data directory has the rights of an admin. */
export const commandLine: Caller = {
  holder: { id: 'command line', name: 'command line', role: 'admin', via: 'session', userId: null, username: null },
  sentKey: false,
}

/** Makes a change and records it in the audit log, in one transaction. */
export function recorded<T>(
  db: DatabaseSync,
  { now }: Pick<Install, 'now'>,
  change: (record: (action: string, subject: string) => void) => T,
): T {
  const audit = sqliteAudit(db, now)
  return transaction(db, () => change((action, subject) => audit.record({ actor: 'command line', action, subject })))
}
