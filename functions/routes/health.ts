import { Hono } from 'hono'
import { z } from 'zod'
import { json, type Operations } from '../../shared/api/operations.ts'
import type { Hosted } from '../hosted.ts'

const HealthAnswer = z
  .object({
    status: z.literal('healthy'),
    version: z.string(),
    setup: z.literal('complete'),
    repos_parsed: z.int().describe('Number of public libraries; -1 if the list cannot be read'),
    uptime: z.number().describe('Seconds'),
  })
  .meta({ id: 'Health' })
const ReadyAnswer = z.object({ ready: z.boolean() })

export const healthRoutes = ({
  version,
  startedAtMs,
  names,
  ready,
}: Pick<Hosted, 'version' | 'startedAtMs' | 'names' | 'ready'>) =>
  new Hono()
    .get('/health', async (c) => {
      const repos_parsed = await names.listed().then(
        ({ libraries }) => libraries.filter(({ privateTo }) => privateTo === undefined).length,
        () => -1,
      )
      const uptime = (performance.now() - startedAtMs) / 1000
      return c.json({ status: 'healthy', version, setup: 'complete', repos_parsed, uptime })
    })
    .get('/ready', async (c) => ((await ready().catch(() => false)) ? c.json({ ready: true }) : c.json({ ready: false }, 503)))
    .get('/auth/mcp', (c) => c.json({ enabled: false }))

export const healthOperations: Operations = {
  '/health': {
    get: {
      operationId: 'getHealth',
      summary: 'Check that the service is running',
      description: 'For liveness probes.',
      security: [],
      responses: { 200: json(HealthAnswer, 'The service is running') },
    },
  },
  '/ready': {
    get: {
      operationId: 'getReady',
      summary: 'Check that requests can be served',
      description: 'For load balancers: 200 while the stores can be read.',
      security: [],
      responses: { 200: json(ReadyAnswer, 'Ready'), 503: json(ReadyAnswer, 'Not ready') },
    },
  },
  '/auth/mcp': {
    get: {
      operationId: 'getMcpAuth',
      summary: 'Whether /mcp requires a key',
      description: 'Read by command line clients before they connect. Keys are optional on the hosted service.',
      security: [],
      responses: { 200: json(z.object({ enabled: z.literal(false) }), 'Always false') },
    },
  },
}
