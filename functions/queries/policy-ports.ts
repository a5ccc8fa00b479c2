import type { Context } from 'hono'
import type { PolicyAnswer, PolicyRoutesPorts } from '../../shared/api/policies.ts'
import { allowedBy } from '../../shared/policy/allowed-by.ts'
import type { GovernedLibrary } from '../../shared/policy/governed-library.ts'
import type { Policy } from '../../shared/policy/policy.ts'
import { unknownSignals } from '../../shared/policy/quality-filters.ts'
import type { Catalog } from '../../shared/search/libraries/catalog.ts'
import type { CallerEnv } from '../access/caller.ts'
import type { Licenses } from '../access/licenses.ts'

type LicensePolicyPorts = { licenses: Pick<Licenses, 'policy' | 'changePolicy'>; names: Pick<Catalog, 'listed'>; now(): Date }

/** Reads and changes the policy of the license that a request sends. */
export const policyPorts = (ports: LicensePolicyPorts): PolicyRoutesPorts => ({
  policy: async (c) => answer(ports, await ports.licenses.policy(licenseId(c))),
  changePolicy: async (change, check, c) => answer(ports, await ports.licenses.changePolicy(licenseId(c), change, check)),
})

async function answer({ names, now }: LicensePolicyPorts, { sourceTypes, libraryFilters }: Policy): Promise<PolicyAnswer> {
  const policy = { sourceTypes, libraryFilters }
  const allows = allowedBy(policy, now())
  const { libraries }: { libraries: GovernedLibrary[] } = await names.listed()
  // A license opens nothing private.
  const open = libraries.filter((library) => library.privateTo === undefined)
  return { ...policy, accessibleLibraryCount: open.filter(allows).length, unknownSignals: unknownSignals(policy, open, now()) }
}

function licenseId(c: Context<CallerEnv>): string {
  const caller = c.get('caller')
  if (caller.kind !== 'license') throw new Error('The route of policies must require a license.')
  return caller.license.id
}
