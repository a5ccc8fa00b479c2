import type { Policy } from '../../shared/policy/policy.ts'
import type { PolicyChange } from '../../shared/policy/policy-change.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { Cloud, PolicyState } from '../cloud/cloud.ts'

export type ChangePolicyPorts = {
  cloud: Pick<Cloud, 'policy' | 'changePolicy'>
  audit: Pick<AuditLog, 'recordAll'>
  atomically: Atomically
}

/** Changes the policy of this install; `check` may throw. The audit log names each changed field. */
export async function changePolicy(
  { cloud, audit, atomically }: ChangePolicyPorts,
  caller: Caller,
  change: PolicyChange,
  check: (policy: Policy) => void,
): Promise<PolicyState> {
  return cloud.changePolicy(change, check, (store) =>
    atomically(() => {
      store()
      audit.recordAll({ actor: actorOf(caller), action: 'policy.change' }, fieldsOf(change))
    }),
  )
}

/** Paths of the fields in a change, such as `libraryFilters.quality.blockedLibraries.add`. */
const fieldsOf = (change: object, path = ''): string[] =>
  Object.entries(change).flatMap(([name, value]) => {
    const isInner = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isInner ? fieldsOf(value, `${path}${name}.`) : [path + name]
  })
