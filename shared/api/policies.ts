import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { Policy } from '../policy/policy.ts'
import { PolicyChange } from '../policy/policy-change.ts'
import { input } from './input.ts'
import { jsonBody } from './json-body.ts'
import { errors, json, keyNeeded, type Operations } from './operations.ts'

const bodyBytes = 1024 * 1024

export const PolicyAnswer = Policy.extend({
  accessibleLibraryCount: z.int().min(0).describe('How many libraries can be reached under the policy'),
  unknownSignals: z
    .array(
      z.object({
        filter: z.string().describe('As in libraryFilters.quality, such as repoFilters.minStars'),
        libraries: z.int().min(1).describe('How many libraries pass it for that'),
      }),
    )
    .describe('Filters that are set and that libraries pass because what they ask for is not known of them'),
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

export const policyOperations: Operations = {
  '/v2/policies': {
    get: {
      operationId: 'getPolicies',
      tags: ['Policies'],
      summary: 'Which libraries may be reached',
      description:
        'Of the license that asks; of an install the one that it keeps and that its license has at the hosted service.',
      security: keyNeeded,
      responses: { 200: json(PolicyAnswer, 'The policy'), ...errors(401, 403, 503) },
    },
    patch: {
      operationId: 'updatePolicies',
      tags: ['Policies'],
      summary: 'Change which libraries may be reached',
      description:
        'Fields that are left out stay as they are. It holds for searches and contexts from the next request on. A filter lets a library pass of which it is not known what the filter asks for, such as its stars; unknownSignals says which do.',
      security: keyNeeded,
      requestBody: { required: true, content: { 'application/json': { schema: PolicyChange } } },
      responses: { 200: json(PolicyAnswer, 'The policy after the change'), ...errors(400, 401, 403, 413, 503, 504) },
    },
  },
}
