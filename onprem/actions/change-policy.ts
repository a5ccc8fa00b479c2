import type { PolicyChange } from '../../shared/policy/policy-change.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { AuditLog } from '../accounts/audit-log.ts'
import type { Cloud, PolicyState } from '../cloud/cloud.ts'

export type ChangePolicyPorts = { cloud: Pick<Cloud, 'policy' | 'changePolicy'>; audit: Pick<AuditLog, 'record'> }

/** Changes the policy of this install. The audit log names each changed field. */
export async function changePolicy(
  { cloud, audit }: ChangePolicyPorts,
  caller: Caller,
  change: PolicyChange,
): Promise<PolicyState> {
  const state = await cloud.changePolicy(change)
  for (const subject of fieldsOf(change)) audit.record({ actor: actorOf(caller), action: 'policy.change', subject })
  return state
}

/** Paths of the fields in a change, such as `libraryFilters.quality.blockedLibraries.add`. */
const fieldsOf = (change: object, path = ''): string[] =>
  Object.entries(change).flatMap(([name, value]) => {
    const isInner = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isInner ? fieldsOf(value, `${path}${name}.`) : [path + name]
  })
