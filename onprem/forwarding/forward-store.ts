import type { DatabaseSync } from 'node:sqlite'

export const forwardTargets = ['syslog', 'webhook'] as const
export type ForwardTarget = (typeof forwardTargets)[number]

/** How far the audit log was forwarded: the log itself is the queue. */
export type ForwardStore = {
  /** The newest entry that the target has, by its id; undefined for a target that was off. */
  sent(target: ForwardTarget): number | undefined
  setSent(target: ForwardTarget, id: number): void
  forget(target: ForwardTarget): void
}

export function sqliteForwards(db: DatabaseSync): ForwardStore {
  const select = db.prepare('SELECT sent_id FROM audit_forwards WHERE target = ?')
  const upsert = db.prepare('INSERT OR REPLACE INTO audit_forwards (target, sent_id) VALUES (?, ?)')
  const remove = db.prepare('DELETE FROM audit_forwards WHERE target = ?')
  return {
    sent(target) {
      const row = select.get(target)
      return row === undefined ? undefined : Number(row.sent_id)
    },
    setSent: (target, id) => void upsert.run(target, id),
    forget: (target) => void remove.run(target),
  }
}
