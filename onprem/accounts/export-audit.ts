import type { Actor, AuditFilter, AuditLog } from './audit-log.ts'

const entriesAtOnce = 1_000

/**
 * Entries as JSON lines, oldest first, up to the newest one at the start. Each piece has whole lines. The export is an entry itself.
 */
export function* exportAudit(
  audit: Pick<AuditLog, 'record' | 'after' | 'head'>,
  actor: Actor,
  filter?: AuditFilter,
): Generator<string, void> {
  audit.record({ actor, action: 'audit.export', subject: 'audit log' })
  const last = audit.head().id
  for (let id = 0; ; ) {
    const entries = audit.after(id, entriesAtOnce, filter).filter((entry) => entry.id <= last)
    const newest = entries.at(-1)
    if (newest === undefined) return
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
    id = newest.id
  }
}
