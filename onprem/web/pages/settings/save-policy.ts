import type { Policy } from '../../../../shared/policy/policy.ts'
import { policyDiff } from '../../../../shared/policy/policy-diff.ts'
import { answerOf, api } from '../../api/api.ts'
import { isUnavailable, type PolicyAnswer } from './policy-query.ts'

/** Stores only the differences between the two. Throws if one of these fields has changed in the meantime. */
export async function savePolicy(loaded: PolicyAnswer, wanted: Policy): Promise<PolicyAnswer> {
  const change = policyDiff(loaded, wanted)
  if (change === undefined) return loaded
  const stored = await answerOf(api.v2.policies.$get())
  const others = new Set(fieldsOf(policyDiff(loaded, stored) ?? {}))
  const both = fieldsOf(change).filter((field) => others.has(field))
  if (both.length > 0) throw conflict(both)
  const call = api.v2.policies.$patch({ json: change })
  const saved = await answerOf(call)
  return { ...saved, isUnavailable: isUnavailable(await call) }
}

/** The names of the changed fields. Lists merge, so that only the same entries conflict. */
const fieldsOf = (change: object): string[] =>
  Object.entries(change).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.map(String)
    return typeof value === 'object' && value !== null ? fieldsOf(value) : [name]
  })

const conflict = (fields: readonly string[]) =>
  new Error(
    `${fields.join(', ')} changed since this page was loaded, in another tab or by another admin. Nothing was saved. Reload the page to see the stored policy.`,
  )
