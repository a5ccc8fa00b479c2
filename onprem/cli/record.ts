import type { DatabaseSync } from 'node:sqlite'
import type { Install } from '../../shared/cli/install.ts'
import { sqliteAudit } from '../accounts/audit-log.ts'

/** Records the change of a command in the audit log. */
export const record = (db: DatabaseSync, install: Install, action: string, subject: string): void =>
  sqliteAudit(db, install.now).record({ actor: 'command line', action, subject })
