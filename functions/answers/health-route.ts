import { Hono } from 'hono'
import { z } from 'zod'
import { json, type Operations } from '../../shared/api/operations.ts'
import type { Hosted } from '../hosted.ts'

const HealthAnswer = z
  .object({
    status: z.literal('healthy'),
    version: z.string(),
    setup: z.literal('complete'),
    repos_parsed: z.int().describe('Public libraries that answer; -1 where their list cannot be read'),
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
      summary: 'Whether the service lives',
      description: 'For liveness probes.',
      security: [],
      responses: { 200: json(HealthAnswer, 'It does') },
    },
  },
  '/ready': {
    get: {
      operationId: 'getReady',
      summary: 'Whether questions can be answered',
      description: 'For load balancers: 200 while the stores answer.',
      security: [],
      responses: { 200: json(ReadyAnswer, 'They can'), 503: json(ReadyAnswer, 'Not yet') },
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
