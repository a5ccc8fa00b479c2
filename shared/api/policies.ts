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

/** The policy as a change would make it. */
export type PolicyPreviewPorts = { previewPolicy(change: PolicyChange, c: Context): Promise<PolicyAnswer> }

export const policyRoutes = (
  { policy, changePolicy }: PolicyRoutesPorts,
  access: { read: MiddlewareHandler; change: MiddlewareHandler },
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
          'Hosted: the policy of the teamspace whose key the request sends, or of its license. On-premise: the policy of the install, which its license also has at the hosted service.',
        responses: { 200: json(PolicyAnswer, 'Current policy', EtagHeader.extend(headers?.shape ?? {})) },
        errors: [400],
      }),
      access.read,
      async (c) => answer(c, await policy(c)),
    )
    .patch(
      '/v2/policies',
      describeRoute({
        operationId: 'updatePolicies',
        tags: ['Policies'],
        summary: 'Change the policy',
        description:
          'Omitted fields keep their values. The change applies to searches and contexts from the next request on; the policy of a teamspace after at most five seconds. Only owners and admins of a teamspace change its policy. A filter on something that is unknown for a library, such as its stars, does not exclude it; unknownSignals counts these libraries.',
        responses: { 200: json(PolicyAnswer, 'Policy after the change', EtagHeader.extend(headers?.shape ?? {})) },
        errors,
      }),
      access.change,
      ifMatch(),
      jsonBody(maxBodyBytes),
      input('json', PolicyChange),
      async (c) => {
        const check = (current: Policy) => requireMatch(c.req.header('if-match'), { '': policyValues(current) })
        return answer(c, await changePolicy(c.req.valid('json'), check, c))
      },
    )

/** Shows what a change would do. Only the hosted half knows all libraries. */
export const policyPreviewRoutes = (
  { previewPolicy }: PolicyPreviewPorts,
  access: MiddlewareHandler,
  { errors = [] }: RouteAdditions = {},
) =>
  new Hono().post(
    '/v2/policies/preview',
    describeRoute({
      operationId: 'previewPolicies',
      tags: ['Policies'],
      summary: 'Get the policy as a change would make it',
      description: 'Nothing is stored. accessibleLibraryCount is the number of libraries that the changed policy would allow.',
      responses: { 200: json(PolicyAnswer, 'Policy after the change') },
      errors,
    }),
    access,
    jsonBody(maxBodyBytes),
    input('json', PolicyChange),
    async (c) => c.json(await previewPolicy(c.req.valid('json'), c)),
  )

const answer = (c: Context, policy: PolicyAnswer) => c.json(policy, 200, { etag: etagOf({ '': policyValues(policy) }) })
