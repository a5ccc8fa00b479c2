import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { LibraryIdParam } from '../../shared/schemas/library-id-param.ts'
import { wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import { UsageAnswer } from '../../shared/usage/usage-answer.ts'
import { usageCsv, usageFileName } from '../../shared/usage/usage-csv.ts'
import { type VisiblePorts, visibleTo } from '../access/among-visible.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import { readerOf } from '../access/reader.ts'
import { answerDailyUsage, DailyUsage } from '../queries/answer-daily-usage.ts'
import { type AnswerUsagePorts, answerUsage } from '../queries/answer-usage.ts'

const UsageQuery = z.object({
  libraryId: LibraryIdParam.optional().describe('One library, or one version of it; all libraries without it'),
  days: wholeNumberOr(30, 1, 365).describe('Days of history, including today'),
  format: z.enum(['json', 'csv']).default('json'),
})

const maxLibraries = 200

const DailyQuery = z.object({
  libraryIds: z
    .string()
    .max(40_000)
    .transform((ids) => ids.split(','))
    .pipe(z.array(LibraryIdParam).max(maxLibraries))
    .describe(`Up to ${maxLibraries} ids, separated by commas`),
  days: wholeNumberOr(30, 1, 365).describe('Days of history, including today'),
})

/** The usage of this install. */
export const usageRoutes = (ports: VisiblePorts & AnswerUsagePorts) =>
  new Hono<CallerEnv>()
    .get(
      '/usage/daily',
      describeRoute({
        operationId: 'getDailyUsage',
        tags: ['Metrics'],
        summary: 'Get the requests per day of several libraries',
        description: 'Returns the requests of each day, all surfaces together, for the small charts of a list of libraries.',
        responses: { 200: json(DailyUsage, 'Requests of the last days') },
      }),
      requireRight(ports, 'member'),
      input('query', DailyQuery),
      (c) => c.json(answerDailyUsage(visibleTo(ports, c.get('caller')), c.req.valid('query'))),
    )
    .get(
      '/usage',
      describeRoute({
        operationId: 'getUsage',
        tags: ['Metrics'],
        summary: 'Get the usage of all libraries or of one',
        description:
          'Returns requests by surface and day, unique users of MCP clients, topics, countries, and the totals of the period before. CSV has one row per day, client, library, topic and country.',
        responses: {
          200: {
            description: 'Usage of the last days',
            headers: z.object({ 'Content-Disposition': z.string().optional().describe('The file name of CSV') }),
            content: { 'application/json': { schema: UsageAnswer }, 'text/csv': { schema: z.string() } },
          },
        },
        errors: [404],
      }),
      requireRight(ports, 'member'),
      input('query', UsageQuery),
      (c) => {
        const { format, ...query } = c.req.valid('query')
        const usage = answerUsage(visibleTo(ports, c.get('caller')), query, readerOf(ports, c.get('caller')))
        if (format === 'json') return c.json(usage)
        c.header('content-type', 'text/csv; charset=utf-8')
        c.header('content-disposition', `attachment; filename="${usageFileName(usage)}"`)
        c.header('cache-control', 'no-store')
        return c.body(usageCsv(usage))
      },
    )
