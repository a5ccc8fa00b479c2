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
  let current: StoredPolicy | undefined
  const read = () => {
    const row = select.get()
    current = row && {
      policy: Policy.parse(JSON.parse(String(row.policy))),
      revision: Number(row.revision),
      pushedTo: row.pushedTo === null ? null : String(row.pushedTo),
    }
  }
  read()
  return {
    stored: () => current,
    change(change) {
      transaction(db, () => write.run(JSON.stringify(change(current?.policy ?? openPolicy()))))
      read()
    },
    adopt(policy, license) {
      adopt.run(JSON.stringify(policy), license)
      read()
    },
    pushed(revision, license) {
      note.run(license, revision)
      read()
    },
  }
}
