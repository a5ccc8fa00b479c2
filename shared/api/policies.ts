import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { etagOf, requireMatch } from '../http/etag.ts'
import { jsonBody } from '../http/json-body.ts'
import { Policy, policyValues } from '../policy/policy.ts'
import { PolicyChange } from '../policy/policy-change.ts'
import { describeRoute, json, type RouteAdditions } from './describe-route.ts'
import { EtagHeader, ifMatch } from './if-match.ts'
import { input } from './input.ts'

const maxBodyBytes = 1024 * 1024

export const PolicyAnswer = Policy.extend({
  accessibleLibraryCount: z.int().min(0).describe('Number of libraries that the policy allows'),
  unknownSignals: z
    .array(
      z.object({
        filter: z.string().describe('As in libraryFilters.quality, such as repoFilters.minStars'),
        libraries: z.int().min(1).describe('Number of libraries for which this is unknown'),
      }),
    )
    .describe('Filters that did not exclude libraries because the value is unknown for them'),
}).meta({ id: 'PoliciesResponse' })
export type PolicyAnswer = z.infer<typeof PolicyAnswer>

export type PolicyRoutesPorts = {
  policy(c: Context): Promise<PolicyAnswer>
  /** Calls `check` with the policy that it changes, in the transaction of the change. */
  changePolicy(change: PolicyChange, check: (policy: Policy) => void, c: Context): Promise<PolicyAnswer>
}

export const policyRoutes = (
  { policy, changePolicy }: PolicyRoutesPorts,
  access: MiddlewareHandler,
  { headers, errors = [] }: RouteAdditions = {},
) =>
  new Hono()
    .get(
      '/v2/policies',
      describeRoute({
        operationId: 'getPolicies',
        tags: ['Policies'],
        summary: 'Get the policy that says which libraries can be reached',
        description:
          'Hosted: the policy of the license in the request. On-premise: the policy of the install, which its license also has at the hosted service.',
        responses: { 200: json(PolicyAnswer, 'Current policy', EtagHeader.extend(headers?.shape ?? {})) },
        errors: [400],
      }),
      access,
      async (c) => answer(c, await policy(c)),
    )
    .patch(
      '/v2/policies',
      describeRoute({
        operationId: 'updatePolicies',
        tags: ['Policies'],
        summary: 'Change the policy',
        description:
          'Omitted fields keep their values. The change applies to searches and contexts from the next request on. A filter on something that is unknown for a library, such as its stars, does not exclude it; unknownSignals counts these libraries.',
        responses: { 200: json(PolicyAnswer, 'Policy after the change', EtagHeader.extend(headers?.shape ?? {})) },
        errors,
      }),
      access,
      ifMatch(),
      jsonBody(maxBodyBytes),
      input('json', PolicyChange),
      async (c) => {
        const check = (current: Policy) => requireMatch(c.req.header('if-match'), { '': policyValues(current) })
        return answer(c, await changePolicy(c.req.valid('json'), check, c))
      },
    )

const answer = (c: Context, policy: PolicyAnswer) => c.json(policy, 200, { etag: etagOf({ '': policyValues(policy) }) })
