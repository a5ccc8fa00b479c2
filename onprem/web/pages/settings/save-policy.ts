import type { Policy } from '../../../../shared/policy/policy.ts'
import { policyDiff } from '../../../../shared/policy/policy-diff.ts'
import { answerOf, api } from '../../api/api.ts'
import type { PolicyAnswer } from './policy-query.ts'

/** Fields that the form changed have changed since it was loaded. Nothing was stored. */
export class PolicyConflict extends Error {
  constructor(fields: readonly string[]) {
    super(
      `${fields.join(', ')} changed since this page was loaded, in another tab or by another admin. Nothing was saved. Reload the page to see the stored policy.`,
    )
    this.name = 'PolicyConflict'
  }
}

/** Stores only what differs between the two. Throws PolicyConflict if one of these fields has changed in the meantime. */
export async function savePolicy(loaded: Policy, wanted: Policy): Promise<PolicyAnswer> {
  const stored = await answerOf(api.v2.policies.$get())
  const change = policyDiff(loaded, wanted)
  if (change === undefined) return stored
  const others = new Set(fieldsOf(policyDiff(loaded, stored) ?? {}))
  const both = fieldsOf(change).filter((field) => others.has(field))
  if (both.length > 0) throw new PolicyConflict(both)
  return answerOf(api.v2.policies.$patch({ json: change }))
}

/** The names of the changed fields. Lists merge, so that only the same entries conflict. */
const fieldsOf = (change: object): string[] =>
  Object.entries(change).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.map(String)
    return typeof value === 'object' && value !== null ? fieldsOf(value) : [name]
  })
