import type { Policy } from '../../policy/policy.ts'
import type { PolicyChange } from '../../policy/policy-change.ts'
import { policyDiff } from '../../policy/policy-diff.ts'
import { changeState } from '../api/change-state.ts'

/** Stores only the differences between the two. Throws Conflict if one of these fields has changed in the meantime. */
export async function savePolicy<Stored extends Policy & { etag: string }>(
  loaded: Stored,
  wanted: Policy,
  send: (change: PolicyChange, etag: string) => Promise<Stored>,
): Promise<Stored> {
  const change = policyDiff(loaded, wanted)
  if (change === undefined) return loaded
  const own = fieldsOf(change)
  return changeState(
    loaded.etag,
    (names) => names.map(fieldIn).filter((name) => own.includes(name)),
    (etag) => send(change, etag),
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
