import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { input } from '../../../shared/api/input.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import type { Log } from '../../../shared/log.ts'
import { visibleText } from '../../../shared/text/visible-text.ts'
import type { Audit } from '../../access/audit.ts'
import { limitedWork } from '../../access/limited-work.ts'
import type { PlanRequests } from '../../access/plan-requests.ts'
import type { RateLimits } from '../../access/rate-limits.ts'
import { userRule } from '../../access/rate-rules.ts'
import type { RequestCounts } from '../../access/request-counts.ts'
import { plans } from '../../access/teamspaces.ts'
import { admin, type GuardPorts, member } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { changing } from '../actions/manage-libraries.ts'
import { LimitsAnswer, PlanRequest } from './answers.ts'
import { maxBodyBytes } from './body-limit.ts'
import { actingMember } from './library-in-path.ts'

type LimitsRoutesPorts = GuardPorts & {
  rateLimits: Pick<RateLimits, 'ofTeamspace'>
  planRequests: Pick<PlanRequests, 'find' | 'put'>
  requestCounts: RequestCounts
  audit: Pick<Audit, 'begin'>
  log: Log
  now(): Date
}

const maxRequestsADay = 5

const NewPlanRequest = z.strictObject({
  plan: z.enum(plans),
  message: z
    .string()
    .max(2_000)
    .overwrite((text) => visibleText(text).trim())
    .default(''),
  contact: z.email().max(254),
})

/** The limits of the plan of a teamspace, what is used of them, and the wish for another plan, which the operator fulfils. */
export const limitsRoutes = (ports: LimitsRoutesPorts) =>
  new Hono<SessionEnv>()
    .get(
      '/teamspaces/:team/limits',
      member(ports),
      describeRoute({
        operationId: 'getLimits',
        tags: ['Teamspaces'],
        summary: 'Get the limits of the plan of a teamspace',
        description: 'With what is used of them today, and the open wish for another plan.',
        responses: { 200: json(LimitsAnswer, 'The limits') },
      }),
      async (c) => {
        const { id, plan } = c.get('teamspace')
        const [limits, planRequest] = await Promise.all([ports.rateLimits.ofTeamspace(id, plan), ports.planRequests.find(id)])
        return c.json({ plan, limits, planRequest: planRequest ?? null })
      },
    )
    .post(
      '/teamspaces/:team/plan-request',
      admin(ports),
      describeRoute({
        operationId: 'requestPlan',
        tags: ['Teamspaces'],
        summary: 'Request another plan',
        description: 'The operator changes the plan. A later request replaces this one.',
        responses: { 202: json(PlanRequest, 'The request') },
        errors: [429],
      }),
      jsonBody(maxBodyBytes),
      input('json', NewPlanRequest),
      async (c) => {
        const { user } = c.get('session')
        const wanted = c.req.valid('json')
        const rule = userRule(
          user.id,
          { name: 'plan requests', what: 'request # plans a day', max: maxRequestsADay },
          ports.now(),
        )
        const facts = { before: { plan: c.get('teamspace').plan }, after: { plan: wanted.plan } }
        const put = () => ports.planRequests.put(c.get('teamspace').id, { ...wanted, by: user.id })
        const stored = await limitedWork({ ...ports, counts: ports.requestCounts }, rule, () =>
          changing(ports, actingMember(c), 'requestPlan', facts, put),
        )
        return c.json(stored, 202)
      },
    )
