import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../shared/store/database.ts'

export type AuditEntry = {
  at: string
  /** The name of a user or of a key, `command line` or `anonymous`. */
  actor: string
  /** Such as `setting.change`. */
  action: string
  /** The name of a setting, the id of a library, … */
  subject: string
}

/** Runs synchronous work in one transaction, so that a change and its entry are written together. */
export type Atomically = <T>(work: () => T) => T

/** The log of changes: who changed what, and when. */
export type AuditLog = {
  record(entry: Omit<AuditEntry, 'at'>): void
  /** Writes one entry per subject in one transaction. */
  recordAll(entry: Omit<AuditEntry, 'at' | 'subject'>, subjects: string[]): void
  /** Newest first. With `q`, only entries whose actor, action or subject contains it, ignoring case. */
  list(page: number, pageSize: number, q?: string): { entries: AuditEntry[]; total: number }
}

export function sqliteAudit(db: DatabaseSync, now: () => Date): AuditLog {
  const insert = db.prepare('INSERT INTO audit (at, actor, action, subject) VALUES (?, ?, ?, ?)')
  const matches = "instr(lower(actor || '\n' || action || '\n' || subject), lower(?)) > 0"
  const page = db.prepare(`SELECT at, actor, action, subject FROM audit WHERE ${matches} ORDER BY id DESC LIMIT ? OFFSET ?`)
  const count = db.prepare(`SELECT count(*) AS entries FROM audit WHERE ${matches}`)
  return {
    record: ({ actor, action, subject }) => void insert.run(now().toISOString(), actor, action, subject),
    recordAll: ({ actor, action }, subjects) =>
      transaction(db, () => {
        for (const subject of subjects) insert.run(now().toISOString(), actor, action, subject)
      }),
    list: (number, size, q = '') => ({
      entries: page.all(q, size, (number - 1) * size).map((row) => ({ ...row }) as AuditEntry),
      total: Number(count.get(q)?.entries),
    }),
  }
}
