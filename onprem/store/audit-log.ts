import type { DatabaseSync } from 'node:sqlite'

export type AuditEntry = {
  at: string
  /** Who did it: the name of a user or of a key, or `anonymous`. */
  actor: string
  /** What was done, such as `setting.change`. */
  action: string
  /** To what: the name of a setting, the id of a library, … */
  subject: string
}

/** Who changed what, and when. */
export type AuditLog = {
  record(entry: Omit<AuditEntry, 'at'>): void
  /** Newest first. */
  list(page: number, pageSize: number): { entries: AuditEntry[]; total: number }
}

export function sqliteAudit(db: DatabaseSync, now: () => Date): AuditLog {
  const insert = db.prepare('INSERT INTO audit (at, actor, action, subject) VALUES (?, ?, ?, ?)')
  const page = db.prepare('SELECT at, actor, action, subject FROM audit ORDER BY id DESC LIMIT ? OFFSET ?')
  const count = db.prepare('SELECT count(*) AS entries FROM audit')
  return {
    record: ({ actor, action, subject }) => void insert.run(now().toISOString(), actor, action, subject),
    list: (number, size) => ({
      entries: page.all(size, (number - 1) * size).map((row) => ({ ...row }) as AuditEntry),
      total: Number(count.get()?.entries),
    }),
  }
}
