import type { DatabaseSync } from 'node:sqlite'
import { openPolicy, Policy } from '../../shared/policy/policy.ts'
import { transaction } from '../../shared/store/database.ts'

/** The policy of this install. `revision` counts its changes; `pushedTo` is the license for which the hosted service has it. */
export type StoredPolicy = { policy: Policy; revision: number; pushedTo: string | null }

export type PolicyStore = {
  /** The stored policy. Undefined if none was set. */
  stored(): StoredPolicy | undefined
  /** Changes the policy, or an open one if none is stored. If `change` throws, the policy stays as it is. */
  change(change: (policy: Policy) => Policy): void
  /** Stores the policy that the hosted service has for a license, unless one is stored already. */
  adopt(policy: Policy, license: string): void
  /** Records that a revision was pushed. A policy that changed meanwhile still has to be pushed. */
  pushed(revision: number, license: string): void
}

export function sqlitePolicy(db: DatabaseSync): PolicyStore {
  const select = db.prepare('SELECT policy, revision, pushed_to AS pushedTo FROM policy')
  const write = db.prepare(`
    INSERT INTO policy (id, policy, revision) VALUES (1, ?, 1)
    ON CONFLICT DO UPDATE SET policy = excluded.policy, revision = revision + 1, pushed_to = NULL`)
  const adopt = db.prepare('INSERT INTO policy (id, policy, revision, pushed_to) VALUES (1, ?, 1, ?) ON CONFLICT DO NOTHING')
  const note = db.prepare('UPDATE policy SET pushed_to = ? WHERE revision = ?')
  let parsed: { text: string; policy: Policy } | undefined
  const parse = (text: string): Policy => {
    if (parsed?.text !== text) parsed = { text, policy: Policy.parse(JSON.parse(text)) }
    return parsed.policy
  }
  const stored = (): StoredPolicy | undefined => {
    const row = select.get()
    if (!row) return undefined
    const pushedTo = row.pushedTo === null ? null : String(row.pushedTo)
    return { policy: parse(String(row.policy)), revision: Number(row.revision), pushedTo }
  }
  return {
    stored,
    change: (change) => transaction(db, () => void write.run(JSON.stringify(change(stored()?.policy ?? openPolicy())))),
    adopt: (policy, license) => void adopt.run(JSON.stringify(policy), license),
    pushed: (revision, license) => void note.run(license, revision),
  }
}
