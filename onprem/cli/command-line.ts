import type { DatabaseSync } from 'node:sqlite'
import type { Install } from '../../shared/cli/install.ts'
import type { Caller } from '../access/caller.ts'
import { sqliteAudit } from '../accounts/audit-log.ts'

/** The caller of a command: anyone who can write to the data directory has the rights of an admin. */
export const commandLine: Caller = {
  holder: { id: 'command line', name: 'command line', role: 'admin', via: 'session', userId: null, username: null },
  sentKey: false,
}

/** Records the change of a command in the audit log. */
export const record = (db: DatabaseSync, install: Install, action: string, subject: string): void =>
  sqliteAudit(db, install.now).record({ actor: 'command line', action, subject })
