import type { Context } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import type { RouteAdditions } from '../../shared/api/describe-route.ts'
import { policyRoutes } from '../../shared/api/policies.ts'
import { routeDocs, withDocs } from '../../shared/http/route-docs.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { type LicensePorts, requireLicense } from '../access/resolve-license.ts'
import { type ChangePolicyPorts, changePolicy } from '../actions/change-policy.ts'
import type { PolicyState } from '../cloud/cloud.ts'

type InstallPolicyRoutesPorts = RightPorts & LicensePorts & ChangePolicyPorts

/** The policy of this install, for admins, while its license is valid. */
export const installPolicyRoutes = (ports: InstallPolicyRoutesPorts, own: RouteAdditions) => {
  const admin = requireRight(ports, 'admin')
  const licensed = createMiddleware(async (_, next) => {
    requireLicense(ports)
    await next()
  })
  const access = withDocs(every(admin, licensed), routeDocs(admin))
  return policyRoutes(
    {
      policy: async (c) => answer(await ports.cloud.policy(), c),
      changePolicy: async (change, check, c: Context<CallerEnv>) =>
        answer(await changePolicy(ports, c.get('caller'), change, check), c),
    },
    { read: access, change: access },
    own,
  )
}

function answer({ answer: policy, unavailable }: PolicyState, c: Context): PolicyState['answer'] {
  if (unavailable) c.header('x-carrel-hosted', 'unavailable')
  return policy
}
