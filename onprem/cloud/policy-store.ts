import type { DatabaseSync } from 'node:sqlite'
import { openPolicy, Policy } from '../../shared/policy/policy.ts'
import { transaction } from '../../shared/store/database.ts'

/** The policy of this install. `revision` counts its changes; `pushedTo` is the license under which the hosted service has it. */
export type StoredPolicy = { policy: Policy; revision: number; pushedTo: string | null }

export type PolicyStore = {
  /** Undefined where nobody has set one. */
  kept(): StoredPolicy | undefined
  /** Changes the policy, or an open one where none is kept; what `change` throws leaves it. */
  change(change: (policy: Policy) => Policy): void
  /** Keeps what the hosted service has under a license, unless one is kept by now. */
  adopt(policy: Policy, license: string): void
  /** Notes who has a revision; one that was changed meanwhile is still to be pushed. */
  pushed(revision: number, license: string): void
}

export function sqlitePolicy(db: DatabaseSync): PolicyStore {
  const select = db.prepare('SELECT policy, revision, pushed_to AS pushedTo FROM policy')
  const write = db.prepare(`
    INSERT INTO policy (id, policy, revision) VALUES (1, ?, 1)
    ON CONFLICT DO UPDATE SET policy = excluded.policy, revision = revision + 1, pushed_to = NULL`)
  const adopt = db.prepare('INSERT INTO policy (id, policy, revision, pushed_to) VALUES (1, ?, 1, ?) ON CONFLICT DO NOTHING')
  const note = db.prepare('UPDATE policy SET pushed_to = ? WHERE revision = ?')
  let known: StoredPolicy | undefined
  const read = () => {
    const row = select.get()
    known = row && {
      policy: Policy.parse(JSON.parse(String(row.policy))),
      revision: Number(row.revision),
      pushedTo: row.pushedTo === null ? null : String(row.pushedTo),
    }
  }
  read()
  return {
    kept: () => known,
    change(change) {
      transaction(db, () => write.run(JSON.stringify(change(known?.policy ?? openPolicy()))))
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
