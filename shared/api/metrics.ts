import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { LibraryIdParam } from '../schemas/library-id-param.ts'
import { wholeNumberOr } from '../schemas/whole-number.ts'
import type { LibraryMetrics } from '../usage/read-metrics.ts'
import { describeRoute, json } from './describe-route.ts'
import { input } from './input.ts'

export const MetricsQuery = z.object({
  libraryId: LibraryIdParam.describe('/owner/repo, or /owner/repo@version for requests that named the version'),
  days: wholeNumberOr(30, 1, 365).describe('Days of history, including today'),
})
export type MetricsQuery = z.infer<typeof MetricsQuery>

const count = z.int().min(0)
const day = z.iso.date().describe('UTC')
const stats = { page: count, txt: count, mcp: count, cli: count }

const MetricsAnswer = z
  .object({
    total: z.object(stats).describe("Requests over the library's life"),
    daily: z.array(z.object({ date: day, ...stats, total: count })).describe('Oldest first, without idle days'),
    mcpClients: z.object({
      dailyData: z
        .array(
          z.object({
            date: day,
            uniqueUsersByClient: z.record(z.string(), count).describe('Exact up to 512, within about 2 % above'),
            totalUniqueUsers: count,
          }),
        )
        .describe('Oldest first, without days that had no users'),
    }),
    topics: z
      .array(z.object({ topic: z.string(), count }))
      .describe('Titles of pages and their sections, most requested first; generic sections such as usage are omitted'),
    countries: z.array(z.object({ country: z.string().describe('ISO 3166-1 alpha-2'), count })).describe('Most requests first'),
  })
  .meta({ id: 'LibraryMetrics' })

export type MetricsRoutesPorts = { metrics(input: MetricsQuery, c: Context): Promise<LibraryMetrics> }

/** The only failure of the server that the specification lists for metrics is 500: any other becomes one, with its message. */
export const metricsFailures: MiddlewareHandler = async (c, next) => {
  await next()
  if (c.res.status <= 500) return
  const { message } = (await c.res.json()) as { message?: string }
  c.res = c.json({ error: 'internal_error', message }, 500)
}

export const metricsRoutes = ({ metrics }: MetricsRoutesPorts, access: MiddlewareHandler) =>
  new Hono().get(
    '/v2/libs/metrics',
    describeRoute({
      operationId: 'getLibraryMetrics',
      tags: ['Metrics'],
      summary: 'Get the usage of a library',
      description:
        'Returns requests by surface and day, unique users of MCP clients by day, and the topics and countries of all requests.',
      responses: { 200: json(MetricsAnswer, 'Usage of the library') },
      onlyErrors: [400, 401, 403, 404, 500],
    }),
    access,
    input('query', MetricsQuery),
    async (c) => c.json(await metrics(c.req.valid('query'), c)),
  )
