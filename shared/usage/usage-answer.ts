import { z } from 'zod'

const count = z.int().min(0)
const day = z.iso.date().describe('UTC')
const stats = { page: count, txt: count, mcp: count, cli: count }
const share = z.number().min(0).max(1).nullable()
const ms = z.int().min(0)
const questions = {
  questions: count.describe(
    'Questions, without reads of pages. Not every request is one, and one that nothing matched is no request',
  ),
  answered: count.describe('Questions whose answer covers them'),
  uncovered: count.describe('Questions whose answer says that the documentation does not seem to cover them'),
  unanswered: count.describe('Questions that nothing matched. Their text is not counted'),
  answerMs: z
    .object({ p50: ms, p95: ms, p99: ms })
    .nullable()
    .describe('Times in ms that 50, 95 and 99 % of the questions took at most, within a quarter; null without questions'),
}
const Totals = z
  .object({
    ...stats,
    total: count,
    ...questions,
    shareAnswered: share.describe('`answered` by `questions`; null without questions'),
    shareDeclined: share.describe('`uncovered` and `unanswered` by `questions`; null without questions'),
    mcpUsersPerDay: z.number().min(0).describe('Unique MCP users of a day, on average over the known days'),
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
    daily: z.array(z.object({ date: day, ...stats, total: count, ...questions })).describe('Every known day, oldest first'),
    mcpClients: z.object({
      dailyData: z
        .array(z.object({ date: day, uniqueUsersByClient: z.record(z.string(), count), totalUniqueUsers: count }))
        .describe('Oldest first, without days that had no users'),
    }),
    topics: z.array(z.object({ topic: z.string(), count })).describe('The 200 most frequent'),
    topicsFrom: day.nullable().describe('The first day of `topics`; null if they are those of all time'),
    countries: z.array(z.object({ country: z.string(), count })).describe('Of all time, most requests first'),
    libraries: z
      .array(z.object({ libraryId: z.string(), title: z.string(), ...stats, total: count }))
      .describe('The 200 most used; empty if one library was asked for'),
  })
  .meta({ id: 'Usage' })
export type UsageAnswer = z.infer<typeof UsageAnswer>
