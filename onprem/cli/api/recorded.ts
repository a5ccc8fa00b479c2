import type { DatabaseSync } from 'node:sqlite'
import type { Install } from '../../../shared/cli/install.ts'
import { transaction } from '../../../shared/store/database.ts'
import { actorOf, commandLine } from '../../access/caller.ts'
import { sqliteAudit } from '../../accounts/audit-log.ts'

/** Makes a change and records it in the audit log, in one transaction. */
export function recorded<T>(
  db: DatabaseSync,
  { now }: Pick<Install, 'now'>,
  change: (record: (action: string, subject: string) => void) => T,
): T {
  const audit = sqliteAudit(db, now)
  return transaction(db, () => change((action, subject) => audit.record({ actor: actorOf(commandLine), action, subject })))
}
