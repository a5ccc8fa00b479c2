import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { actorOf, type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import { SetupAnswer, type SetupPorts, setupState } from '../queries/setup-state.ts'
import { type SetupStore, setupSteps } from '../store/setup-store.ts'

const StepInPath = z.object({ step: z.enum(setupSteps) })

type SetupRoutesPorts = RightPorts & SetupPorts & { setup: SetupStore; audit: Pick<AuditLog, 'record'>; atomically: Atomically }

export const setupRoutes = (ports: SetupRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/setup',
      describeRoute({
        operationId: 'getSetup',
        tags: ['Settings'],
        summary: 'Get the state of the first setup',
        description: 'Lists the steps of the first setup. Each can be done in any order, or skipped.',
        responses: { 200: json(SetupAnswer, 'Steps of the setup') },
      }),
      requireRight(ports, 'admin'),
      (c) => c.json(setupState(ports)),
    )
    .post(
      '/setup/:step/skip',
      describeRoute({
        operationId: 'skipSetupStep',
        tags: ['Settings'],
        summary: 'Skip a step of the first setup',
        description: 'The step can still be done later. Skipping a step that is done changes nothing.',
        responses: { 200: json(SetupAnswer, 'Steps of the setup') },
      }),
      requireRight(ports, 'admin'),
      input('param', StepInPath),
      (c) => {
        const { step } = c.req.valid('param')
        ports.atomically(() => {
          if (ports.setup.skip(step)) ports.audit.record({ actor: actorOf(c.get('caller')), action: 'setup.skip', subject: step })
        })
        return c.json(setupState(ports))
      },
    )
