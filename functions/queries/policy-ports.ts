import type { Context } from 'hono'
import type { PolicyAnswer, PolicyPreviewPorts, PolicyRoutesPorts } from '../../shared/api/policies.ts'
import { allowedBy } from '../../shared/policy/allowed-by.ts'
import type { GovernedLibrary } from '../../shared/policy/governed-library.ts'
import type { Policy } from '../../shared/policy/policy.ts'
import { applyChange, type PolicyChange } from '../../shared/policy/policy-change.ts'
import { unknownSignals } from '../../shared/policy/quality-filters.ts'
import type { Catalog } from '../../shared/search/libraries/catalog.ts'
import type { Caller, CallerEnv } from '../access/caller.ts'
import type { Licenses } from '../access/licenses.ts'
import type { TeamPolicies } from '../access/team-policies.ts'
import { mayKnow } from '../access/visibility.ts'

/** A teamspace or a license has a policy. */
export type Governed = Pick<Extract<Caller, { kind: 'teamspace' }>, 'kind' | 'teamspace'> | LicenseCaller
type LicenseCaller = { kind: 'license'; license: Pick<Extract<Caller, { kind: 'license' }>['license'], 'id'> }

export type PolicyPorts = {
  licenses: Pick<Licenses, 'policy' | 'changePolicy'>
  teamPolicies: Pick<TeamPolicies, 'policy' | 'changePolicy'>
  names: Pick<Catalog, 'listed'>
  now(): Date
}

/** Reads and changes the policy of the teamspace or license whose key a request sends. */
export const policyPorts = (ports: PolicyPorts): PolicyRoutesPorts & PolicyPreviewPorts => ({
  policy: async (c) => answerPolicy(ports, governed(c), await policyOf(ports, governed(c))),
  changePolicy: async (change, check, c) =>
    answerPolicy(ports, governed(c), await storeFor(ports, governed(c)).change(change, check)),
  previewPolicy: async (change, c) => answerPolicy(ports, governed(c), applyChange(await policyOf(ports, governed(c)), change)),
})

const policyOf = (ports: PolicyPorts, who: Governed): Promise<Policy> => storeFor(ports, who).read()

/** The store of the policy of a teamspace or a license. */
export function storeFor({ licenses, teamPolicies }: PolicyPorts, who: Governed) {
  const [store, id] = who.kind === 'teamspace' ? [teamPolicies, who.teamspace] : [licenses, who.license.id]
  return {
    read: () => store.policy(id),
    change: (change: PolicyChange, check?: (policy: Policy) => void) => store.changePolicy(id, change, check),
  }
}

/** A policy with the number of libraries that it allows. A license opens nothing private, a teamspace its own libraries. */
export async function answerPolicy(
  { names, now }: Pick<PolicyPorts, 'names' | 'now'>,
  who: Governed,
  { sourceTypes, libraryFilters }: Policy,
): Promise<PolicyAnswer> {
  const policy = { sourceTypes, libraryFilters }
  const { libraries }: { libraries: GovernedLibrary[] } = await names.listed()
  const known = libraries.filter((library) => mayKnow(who, library))
  return {
    ...policy,
    accessibleLibraryCount: known.filter(allowedBy(policy, now())).length,
    unknownSignals: unknownSignals(policy, known, now()),
  }
}

function governed(c: Context<CallerEnv>): Governed {
  const caller = c.get('caller')
  if (caller.kind === 'anonymous') throw new Error('The routes of policies must require a key.')
  return caller
}
