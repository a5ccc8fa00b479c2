import type { DatabaseSync } from 'node:sqlite'
import type { Install } from '../../shared/cli/install.ts'
import { sqliteAudit } from '../accounts/audit-log.ts'

/** Tells the audit log what a command has changed. */
export const record = (db: DatabaseSync, install: Install, action: string, subject: string): void =>
  sqliteAudit(db, install.now).record({ actor: 'command line', action, subject })
