import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { type CallerEnv, wantsKey } from '../access/caller.ts'
import { pathWarnings, serverDamage } from '../queries/damage-warnings.ts'
import { HealthAnswer, type HealthPorts, health } from '../queries/health.ts'
import { shortageWarning } from '../store/data-dir/disk-guard.ts'

const ReadyAnswer = z.object({
  ready: z.boolean(),
  message: z.string().optional().describe('What is damaged, or why jobs wait, and what to do'),
})

type HealthRoutesPorts = HealthPorts & { settings: SettingsStore }

/** `ready` returns whether searches can be answered. */
export const healthRoutes = (ports: HealthRoutesPorts, ready: () => Promise<boolean>) =>
  new Hono<CallerEnv>()
    .get(
      '/health',
      describeRoute({
        operationId: 'getHealth',
        tags: ['Health'],
        summary: 'Check that the server is running',
        description:
          'For liveness probes: returns the version of the API, the license, the number of libraries and the configured services. Values that a damaged database cannot return are 0 or "not configured", and a warning says so.',
        responses: { 200: json(HealthAnswer, 'The server is running') },
      }),
      (c) => c.json(health(ports, c.get('caller'))),
    )
    .get(
      '/ready',
      describeRoute({
        operationId: 'getReady',
        tags: ['Health'],
        summary: 'Check that requests can be served',
        description:
          'For load balancers: 200 while the stores can be read, also while jobs wait for disk space, else 503. The message says what is wrong.',
        responses: { 200: json(ReadyAnswer, 'Ready'), 503: json(ReadyAnswer, 'Not ready') },
      }),
      async (c) => {
        if (await ready().catch(() => false)) {
          const shortage = ports.damage.readOr(() => ports.disk.shortage(), undefined)
          return c.json({
            ready: true,
            ...(shortage !== undefined && { message: shortageWarning(shortage, c.get('caller').holder !== undefined) }),
          })
        }
        const [message] = [...serverDamage(ports, c.get('caller')), ...pathWarnings(ports.paths, c.get('caller'))]
        return c.json({ ready: false, message }, 503)
      },
    )
    .get(
      '/auth/mcp',
      describeRoute({
        operationId: 'getMcpAuth',
        tags: ['Health'],
        summary: 'Check whether clients of /mcp need a key',
        description:
          'Clients read this before they connect. It never redirects. True while a key is required (permissions.requireMcpAuth), or while private libraries are only shown with one (permissions.hidePrivate).',
        responses: {
          200: json(
            z.object({ enabled: z.boolean(), package: z.string().optional() }),
            'Whether a key is needed, and the package that the operator has named',
          ),
        },
      }),
      (c) => {
        const setupPackage = ports.settings.get('setup.package')
        return c.json({ enabled: wantsKey(ports), ...(setupPackage !== undefined && { package: setupPackage }) })
      },
    )
