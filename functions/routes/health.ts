import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { apiVersion } from '../../shared/system/package-version.ts'
import type { NamedLibraries } from '../catalog/catalog-snapshot.ts'

const HealthAnswer = z
  .object({
    status: z.literal('healthy'),
    version: z.string().describe('Of the API'),
    setup: z.literal('complete'),
    repos_parsed: z.int().describe('Number of public libraries; -1 if the list cannot be read'),
    uptime: z.number().describe('Seconds'),
  })
  .meta({ id: 'Health' })
const ReadyAnswer = z.object({ ready: z.boolean() })

type HealthRoutesPorts = {
  /** The `performance.now()` of the start, which does not depend on the system clock. */
  startedAtMs: number
  names: Pick<NamedLibraries, 'listed'>
  /** True if the stores respond. */
  ready(): Promise<boolean>
}

export const healthRoutes = ({ startedAtMs, names, ready }: HealthRoutesPorts) =>
  new Hono()
    .get(
      '/health',
      describeRoute({
        operationId: 'getHealth',
        summary: 'Check that the service is running',
        description: 'For liveness probes.',
        responses: { 200: json(HealthAnswer, 'The service is running') },
      }),
      async (c) => {
        const uptime = (performance.now() - startedAtMs) / 1000
        const repos_parsed = await countPublic(names).catch(() => -1)
        return c.json({ status: 'healthy', version: apiVersion, setup: 'complete', repos_parsed, uptime })
      },
    )
    .get(
      '/ready',
      describeRoute({
        operationId: 'getReady',
        summary: 'Check that requests can be served',
        description: 'For load balancers: 200 while the stores can be read.',
        responses: { 200: json(ReadyAnswer, 'Ready'), 503: json(ReadyAnswer, 'Not ready') },
      }),
      async (c) => ((await ready().catch(() => false)) ? c.json({ ready: true }) : c.json({ ready: false }, 503)),
    )
    .get(
      '/auth/mcp',
      describeRoute({
        operationId: 'getMcpAuth',
        summary: 'Check whether /mcp requires a key',
        description: 'Command line clients read this before they connect. Keys are optional on the hosted service.',
        responses: { 200: json(z.object({ enabled: z.literal(false) }), 'Always false') },
      }),
      (c) => c.json({ enabled: false }),
    )

const countPublic = async (names: HealthRoutesPorts['names']): Promise<number> => {
  const { libraries } = await names.listed()
  return libraries.filter(({ privateTo }) => privateTo === undefined).length
}
