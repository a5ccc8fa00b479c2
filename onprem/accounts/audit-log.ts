import { createHash } from 'node:crypto'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { transaction } from '../../shared/store/database.ts'

/** The user, key or program that did something, and the place it came from. */
export type Actor = {
  /** The name of a user or of a key, `command line` or `anonymous`. */
  name: string
  /** The id of the key, else of the user; empty for anonymous callers. */
  id: string
  /** The address of the client, or `command line`; empty if nobody sent a request. */
  address: string
}

/** Work that the server does unasked. */
export const serverActor = (name: string): Actor => ({ name, id: '', address: '' })

export const outcomes = ['allowed', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

export type AuditEntry = {
  /** Entries are numbered without a gap. */
  id: number
  /** Time in ISO 8601. */
  at: string
  actor: string
  actorId: string
  address: string
  /** Such as `setting.change`. */
  action: string
  /** The name of a setting, the id of a library, … */
  subject: string
  /** The id of a library, if the entry is about one; else empty. */
  library: string
  outcome: Outcome
  /** SHA-256 in hex over the hash of the entry before and the other fields; see `hashOf`. Empty before an older entry is chained. */
  hash: string
}

/** `library` is the subject by default, if the action is about a library. */
export type NewEntry = { actor: Actor; action: string; subject: string; library?: string | undefined; outcome?: Outcome }

/** Only entries to which all of these apply. */
export type AuditFilter = {
  /** Text in the actor, action or subject, ignoring case. */
  q?: string | undefined
  /** Text in the name of the actor, or its id. */
  actor?: string | undefined
  /** An action, or the part of it before the dot. */
  action?: string | undefined
  library?: string | undefined
  outcome?: Outcome | undefined
  /** Times in ISO 8601; `to` is exclusive. */
  from?: string | undefined
  to?: string | undefined
}

/** The newest entry; its id is 0 and its hash empty if there never was one. */
export type AuditHead = { id: number; hash: string }

/** Runs synchronous work in one transaction, so that a change and its entry are written together. */
export type Atomically = <T>(work: () => T) => T

/** The log of who did what, when and from where. It is only appended to. */
export type AuditLog = {
  record(entry: NewEntry): void
  /** Writes one entry per subject in one transaction. */
  recordAll(entry: Omit<NewEntry, 'subject'>, subjects: string[]): void
  /** Newest first. */
  list(page: number, pageSize: number, filter?: AuditFilter): { entries: AuditEntry[]; total: number }
  /** Up to `limit` entries after the one with this id, oldest first. */
  after(id: number, limit: number, filter?: AuditFilter): AuditEntry[]
  head(): AuditHead
  /**
   * Deletes entries from before a time in ISO 8601, oldest first and at most 20,000, and records that. The newest 100,000 that were not
   * forwarded yet stay. Returns the number of deleted entries.
   */
  cut(before: string): number
}

/** Entries that one cut deletes, so that it delays other work by little. */
const maxCut = 20_000
const maxWaiting = 100_000

/** The columns of an entry, as its fields. */
export const entryColumns = 'id, at, actor, actor_id AS actorId, address, action, subject, library, outcome, hash'

export function sqliteAudit(db: DatabaseSync, now: () => Date): AuditLog {
  const insert = db.prepare(
    'INSERT INTO audit (id, at, actor, actor_id, address, action, subject, library, outcome, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const selectHead = db.prepare('SELECT head_id AS id, head_hash AS hash FROM audit_chain')
  const setHead = db.prepare('UPDATE audit_chain SET head_id = ?, head_hash = ?')
  const unchained = db.prepare(`SELECT ${entryColumns} FROM audit WHERE hash = '' ORDER BY id`)
  const setHash = db.prepare('UPDATE audit SET hash = ? WHERE id = ?')
  const oldest = db.prepare('SELECT id, at FROM audit ORDER BY id LIMIT 1')
  const firstSince = db.prepare('SELECT id FROM audit WHERE at >= ? ORDER BY id LIMIT 1')
  const leastForwarded = db.prepare('SELECT min(sent_id) AS id FROM audit_forwards')
  const setCut = db.prepare('UPDATE audit_chain SET (cut_id, cut_hash) = (SELECT audit.id, hash FROM audit WHERE audit.id = ?)')
  const remove = db.prepare('DELETE FROM audit WHERE id <= ?')

  /** Entries from before the chain are chained when the first one after them is written, or when it is first asked for. */
  const chainedHead = (): AuditHead => {
    const head = selectHead.get() as AuditHead
    if (head.id > 0) return head
    const rows = unchained.all() as AuditEntry[]
    const chained = rows.reduce((before, row) => {
      const hash = hashOf(before.hash, row)
      setHash.run(hash, row.id)
      return { id: row.id, hash }
    }, head)
    setHead.run(chained.id, chained.hash)
    return chained
  }
  const append = ({ actor, action, subject, library = libraryOf(action, subject), outcome = 'allowed' }: NewEntry) => {
    const head = chainedHead()
    const id = head.id + 1
    const { name, id: actorId, address } = actor
    const row = { id, at: now().toISOString(), actor: name, actorId, address, action, subject, library, outcome }
    const hash = hashOf(head.hash, row)
    insert.run(...(Object.values(row) as SQLInputValue[]), hash)
    setHead.run(id, hash)
  }
  return {
    record: (entry) => transaction(db, () => append(entry)),
    recordAll: (entry, subjects) =>
      transaction(db, () => {
        for (const subject of subjects) append({ ...entry, subject })
      }),
    list(number, size, filter = {}) {
      const { where, values } = conditions(filter)
      const page = db.prepare(`SELECT ${entryColumns} FROM audit ${where} ORDER BY id DESC LIMIT ? OFFSET ?`)
      const count = db.prepare(`SELECT count(*) AS entries FROM audit ${where}`)
      return {
        entries: page.all(...values, size, (number - 1) * size).map(toEntry),
        total: Number(count.get(...values)?.entries),
      }
    },
    after(id, limit, filter = {}) {
      const { where, values } = conditions(filter, ['id > ?', id])
      return db
        .prepare(`SELECT ${entryColumns} FROM audit ${where} ORDER BY id LIMIT ?`)
        .all(...values, limit)
        .map(toEntry)
    },
    head: () => ({ ...transaction(db, chainedHead) }),
    cut: (before) =>
      transaction(db, () => {
        const first = oldest.get() as { id: number; at: string } | undefined
        if (first === undefined || first.at >= before) return 0
        const head = chainedHead().id
        const old = Number(firstSince.get(before)?.id ?? head + 1) - 1
        const forwarded = Math.max(Number(leastForwarded.get()?.id ?? head), head - maxWaiting)
        const last = Math.min(old, forwarded, first.id + maxCut - 1)
        if (last < first.id) return 0
        setCut.run(last)
        remove.run(last)
        append({ actor: serverActor('retention'), action: 'audit.cut', subject: `entries ${first.id} to ${last}` })
        return last - first.id + 1
      }),
  }
}

/**
 * The SHA-256, in hex, of the hash of the entry before, a line feed and a JSON list of the fields from `id` to `outcome`. The first entry
 * follows an empty hash.
 */
export const hashOf = (before: string, entry: Omit<AuditEntry, 'hash'>): string => {
  const { id, at, actor, actorId, address, action, subject, library, outcome } = entry
  const fields = JSON.stringify([id, at, actor, actorId, address, action, subject, library, outcome])
  return createHash('sha256').update(`${before}\n${fields}`).digest('hex')
}

/** Actions whose subject is a library. */
const aboutLibrary = /^library\.|^(?:job\.cancel|feedback\.delete)$/

const libraryOf = (action: string, subject: string): string =>
  aboutLibrary.test(action) && subject.startsWith('/') ? subject : ''

type Condition = [sql: string, ...values: SQLInputValue[]]

function conditions({ q, actor, action, library, outcome, from, to }: AuditFilter, ...more: Condition[]) {
  const given: (Condition | undefined | '')[] = [
    q && ["instr(lower(actor || '\n' || action || '\n' || subject), lower(?)) > 0", q],
    actor && ['(instr(lower(actor), lower(?)) > 0 OR actor_id = ?)', actor, actor],
    action && ["(action = ? OR action GLOB ? || '.*')", action, action.replaceAll(/[*?[]/g, '')],
    library && ['(library = ? COLLATE NOCASE)', library],
    outcome && ['outcome = ?', outcome],
    from && ['at >= ?', from],
    to && ['at < ?', to],
    ...more,
  ]
  const used = given.filter((each) => each !== undefined && each !== '')
  return {
    where: used.length === 0 ? '' : `WHERE ${used.map(([sql]) => sql).join(' AND ')}`,
    values: used.flatMap(([, ...values]) => values),
  }
}

const toEntry = (row: Record<string, unknown>): AuditEntry => ({ ...row }) as AuditEntry
