import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { jsonBody } from '../http/json-body.ts'
import { Policy } from '../policy/policy.ts'
import { PolicyChange } from '../policy/policy-change.ts'
import { input } from './input.ts'
import { errors, json, keyNeeded, type Operations, type OwnAnswers } from './operations.ts'

const bodyBytes = 1024 * 1024

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

export type PolicyPorts = {
  policy(c: Context): Promise<PolicyAnswer>
  changePolicy(change: PolicyChange, c: Context): Promise<PolicyAnswer>
}

export const policyRoutes = ({ policy, changePolicy }: PolicyPorts, gate: MiddlewareHandler) =>
  new Hono()
    .get('/v2/policies', gate, async (c) => c.json(await policy(c)))
    .patch('/v2/policies', gate, jsonBody(bodyBytes), input('json', PolicyChange), async (c) =>
      c.json(await changePolicy(c.req.valid('json'), c)),
    )

export const policyOperations = (own: OwnAnswers = {}): Operations => ({
  '/v2/policies': {
    get: {
      operationId: 'getPolicies',
      tags: ['Policies'],
      summary: 'Get the policy that says which libraries can be reached',
      description:
        'Hosted: the policy of the license in the request. On-premise: the policy of the install, which its license also has at the hosted service.',
      security: keyNeeded,
      responses: {
        200: { ...json(PolicyAnswer, 'Current policy'), headers: own.headers ?? z.object({}) },
        ...errors(400, 401, 403),
      },
    },
    patch: {
      operationId: 'updatePolicies',
      tags: ['Policies'],
      summary: 'Change the policy',
      description:
        'Omitted fields keep their values. The change applies to searches and contexts from the next request on. A filter on something that is unknown for a library, such as its stars, does not exclude it; unknownSignals counts these libraries.',
      security: keyNeeded,
      requestBody: { required: true, content: { 'application/json': { schema: PolicyChange } } },
      responses: {
        200: { ...json(PolicyAnswer, 'Policy after the change'), headers: own.headers ?? z.object({}) },
        ...errors(400, 401, 403, 413, ...(own.errors ?? [])),
      },
    },
  },
})
