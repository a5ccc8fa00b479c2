import type { Policy } from '../../../../shared/policy/policy.ts'
import { policyDiff } from '../../../../shared/policy/policy-diff.ts'
import { ifMatch } from '../../../../shared/web/api/answer-of.ts'
import { changeState } from '../../../../shared/web/api/change-state.ts'
import { api } from '../../api/api.ts'
import { type PolicyAnswer, policyOf } from './policy-query.ts'

/** Stores only the differences between the two. Throws Conflict if one of these fields has changed in the meantime. */
export async function savePolicy(loaded: PolicyAnswer, wanted: Policy): Promise<PolicyAnswer> {
  const change = policyDiff(loaded, wanted)
  if (change === undefined) return loaded
  const own = fieldsOf(change)
  return changeState(
    loaded.etag,
    (names) => names.map(fieldIn).filter((name) => own.includes(name)),
    (etag) => policyOf(api.v2.policies.$patch({ json: change }, ifMatch(etag))),
  )
}

/** The names of the changed fields and source types. Lists merge, so that their names are no conflict. */
const fieldsOf = (change: object): string[] =>
  Object.entries(change).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.map(String)
    return typeof value === 'object' && value !== null ? fieldsOf(value) : [name]
  })

/** The field or the source type in a path, such as `sourceTypes.websites.enabled`. */
const fieldIn = (path: string): string => path.split('.').findLast((part) => part !== 'enabled') ?? path
