import type { DatabaseSync } from 'node:sqlite'
import { type AuditEntry, type AuditHead, entryColumns, hashOf } from './audit-log.ts'

export type AuditVerdict = {
  /** Checked entries. */
  entries: number
  /** The newest entry that the log says it has. */
  head: AuditHead
  /** The first problem, as a sentence that names an entry. */
  problem?: string
}

/**
 * Checks that every entry follows the one before it, that none is missing before the oldest one that is kept or after the newest, and that the log
 * holds `witnessed`, an entry that somebody noted elsewhere. Reads one state of the database, whatever is written meanwhile.
 */
export function verifyAudit(db: DatabaseSync, witnessed?: AuditHead): AuditVerdict {
  db.exec('BEGIN')
  try {
    return verify(db, witnessed)
  } finally {
    db.exec('COMMIT')
  }
}

type Chain = { cutId: number; cutHash: string; headId: number; headHash: string }

function verify(db: DatabaseSync, witnessed: AuditHead | undefined): AuditVerdict {
  const chain = db
    .prepare('SELECT cut_id AS cutId, cut_hash AS cutHash, head_id AS headId, head_hash AS headHash FROM audit_chain')
    .get() as Chain
  const rows = db.prepare(`SELECT ${entryColumns} FROM audit ORDER BY id`).iterate() as Iterable<AuditEntry>
  const head = { id: chain.headId, hash: chain.headHash }
  let before: AuditHead = { id: chain.cutId, hash: chain.cutHash }
  let entries = 0
  for (const row of rows) {
    entries += 1
    if (row.hash !== hashOf(before.hash, row)) return { entries, head, problem: broken(before, row, chain) }
    if (witnessed?.id === row.id && witnessed.hash !== row.hash) return { entries, head, problem: replaced(row.id) }
    before = { id: row.id, hash: row.hash }
  }
  const problem = endProblem(before, head, witnessed, chain)
  return { entries, head, ...(problem !== undefined && { problem }) }
}

function broken(before: AuditHead, { id }: AuditEntry, { cutId }: Chain): string {
  if (id > before.id + 1) return `Entries ${before.id + 1} to ${id - 1} are missing, or entry ${id} was altered.`
  if (before.id === cutId) return `Entry ${id}, the oldest one, was altered, or entries before it were removed.`
  return `Entry ${id} does not follow entry ${before.id}: one of them was altered, or entries were removed or reordered.`
}

function endProblem(last: AuditHead, head: AuditHead, witnessed: AuditHead | undefined, { cutId }: Chain): string | undefined {
  if (last.id !== head.id || last.hash !== head.hash)
    return `The newest entries are missing: the last one is ${last.id}, and entry ${head.id} was written.`
  if (witnessed === undefined) return undefined
  if (witnessed.id > last.id)
    return `The log ends at entry ${last.id}, and entry ${witnessed.id} was witnessed: entries were removed, or an older backup was restored.`
  if (witnessed.id === cutId && witnessed.hash !== last.hash && last.id === cutId) return replaced(cutId)
  return undefined
}

const replaced = (id: number): string =>
  `Entry ${id} is not the one that was witnessed: it or an entry before it was altered, and the hashes after it made again.`
