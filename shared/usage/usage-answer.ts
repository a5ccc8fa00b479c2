import { z } from 'zod'

const count = z.int().min(0)
const day = z.iso.date().describe('UTC')
const stats = { page: count, txt: count, mcp: count, cli: count }
const Totals = z
  .object({
    ...stats,
    total: count,
    mcpUsersPerDay: z.number().min(0).describe('Unique MCP users of a day, on average over the known days'),
    unanswered: count.describe('Questions that nothing matched. Their text is not stored. Always 0 for a version.'),
    libraries: count.describe('Libraries with requests'),
  })
  .meta({ id: 'UsageTotals' })

export const UsageAnswer = z
  .object({
    libraryId: z.string().nullable().describe('null: all libraries'),
    days: count,
    from: day,
    to: day,
    since: day.nullable().describe('The first day that something is known of. Earlier days are not in `daily`.'),
    period: Totals,
    previous: Totals.nullable().describe('The same number of days before `from`; null if `since` is later than its first day'),
    total: z.object(stats).describe('Requests of all time'),
    daily: z.array(z.object({ date: day, ...stats, total: count, unanswered: count })).describe('Every known day, oldest first'),
    mcpClients: z.object({
      dailyData: z
        .array(z.object({ date: day, uniqueUsersByClient: z.record(z.string(), count), totalUniqueUsers: count }))
        .describe('Oldest first, without days that had no users'),
    }),
    topics: z.array(z.object({ topic: z.string(), count })).describe('Of all time, the 200 most frequent'),
    countries: z.array(z.object({ country: z.string(), count })).describe('Of all time, most requests first'),
    libraries: z
      .array(z.object({ libraryId: z.string(), title: z.string(), ...stats, total: count }))
      .describe('The 200 most used; empty if one library was asked for'),
  })
  .meta({ id: 'Usage' })
export type UsageAnswer = z.infer<typeof UsageAnswer>
