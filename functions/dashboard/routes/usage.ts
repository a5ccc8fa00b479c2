import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { describeRoute } from '../../../shared/api/describe-route.ts'
import { input } from '../../../shared/api/input.ts'
import { printLibraryId } from '../../../shared/library.ts'
import { wholeNumberOr } from '../../../shared/schemas/whole-number.ts'
import { UsageAnswer } from '../../../shared/usage/usage-answer.ts'
import { usageCsv, usageFileName } from '../../../shared/usage/usage-csv.ts'
import { libraryUsage, type TeamUsagePorts, teamUsage } from '../../queries/team-usage.ts'
import { type GuardPorts, member } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { teamCaller } from '../access/team-caller.ts'
import { FileHeader, LibraryUsage } from './answers.ts'
import { libraryInPath } from './library-in-path.ts'

const TeamUsageQuery = z.object({
  days: wholeNumberOr(30, 1, 365),
  format: z.enum(['json', 'csv']).default('json'),
})
const LibraryUsageQuery = TeamUsageQuery.extend({ version: z.string().min(1).max(200).optional() })

/** The usage of one library of a teamspace, and of all that it owns. `apiUrl` is the call of the public API for the same library. */
export const usageRoutes = (ports: GuardPorts & TeamUsagePorts & { serviceUrl: string }) =>
  new Hono<SessionEnv>()
    .get(
      '/teamspaces/:team/usage',
      member(ports),
      describeRoute({
        operationId: 'getTeamUsage',
        tags: ['Usage'],
        summary: 'Get the usage of all libraries of a teamspace',
        description: 'As JSON, or as CSV. A user of several libraries counts once for each.',
        responses: usageOf(UsageAnswer),
      }),
      input('query', TeamUsageQuery),
      async (c) => {
        const { days, format } = c.req.valid('query')
        return sent(c, await teamUsage(ports, teamCaller(c), days), format)
      },
    )
    .get(
      '/teamspaces/:team/libraries/:owner/:repo/usage',
      member(ports),
      describeRoute({
        operationId: 'getLibraryUsage',
        tags: ['Usage'],
        summary: 'Get the usage of a library',
        description: 'As JSON, or as CSV, for the teamspace that owns it.',
        responses: usageOf(LibraryUsage),
      }),
      input('query', LibraryUsageQuery),
      async (c) => {
        const { days, format, version } = c.req.valid('query')
        const id = { ...(await libraryInPath(c)), ...(version !== undefined && { version }) }
        const usage = await libraryUsage(ports, teamCaller(c), { id, days })
        const query = new URLSearchParams({ libraryId: usage.libraryId ?? printLibraryId(id), days: String(days) })
        return sent(c, { ...usage, apiUrl: `${ports.serviceUrl}/api/v2/libs/metrics?${query}` }, format)
      },
    )

const usageOf = (schema: z.ZodType) => ({
  200: {
    description: 'The figures',
    headers: FileHeader,
    content: { 'application/json': { schema }, 'text/csv': { schema: z.string() } },
  },
})

function sent<Usage extends UsageAnswer>(c: Context, usage: Usage, format: 'json' | 'csv') {
  if (format === 'json') return c.json(usage)
  c.header('content-type', 'text/csv; charset=utf-8')
  c.header('content-disposition', `attachment; filename="${usageFileName(usage)}"`)
  return c.body(usageCsv(usage))
}
