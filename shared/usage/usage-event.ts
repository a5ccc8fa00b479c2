import { z } from 'zod'

export const surfaces = ['page', 'txt', 'mcp', 'cli'] as const
export type Surface = (typeof surfaces)[number]

/** How questions end. */
export const outcomes = ['answered', 'uncovered', 'unanswered'] as const

/** One answered request for a library, or a question that nothing in it matched, as an event on the stream. It contains nothing that identifies a person. */
export const UsageEvent = z.object({
  /** A random UUID. */
  id: z.uuid(),
  /** ISO 8601. */
  at: z.iso.datetime(),
  /** Key of the library: `/owner/repo` in lower case. */
  library: z.string().min(1).max(500),
  /** The version that the request pinned, as the catalog names it. */
  version: z.string().min(1).max(300).optional(),
  surface: z.enum(surfaces),
  /** Identifier of the MCP client, from the fixed table or `other`. Only for the mcp surface. */
  client: z.string().min(1).max(40).optional(),
  /** First 16 bytes of the user's HMAC of the day, base64url. Only for the mcp surface. Absent if the salt was not available. */
  user: z
    .string()
    .regex(/^[\w-]{22}$/)
    .optional(),
  /** At most three topics of the answering snippets. */
  topics: z.array(z.string().min(1).max(80)).max(3),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .optional(),
  /**
   * Absent if pages were read. `ms`: the time until the answer. `uncovered`: the answer says that the documentation does not seem to cover
   * the question. `unanswered`: nothing matched, which is no request.
   */
  question: z.object({ ms: z.int().min(0), outcome: z.enum(outcomes) }).optional(),
})
export type UsageEvent = z.infer<typeof UsageEvent>

/** The counters of a day: requests by surface, and questions by outcome. */
export const dayCounters = [...surfaces, ...outcomes] as const
export type DayCounts = Record<(typeof dayCounters)[number], number>

export const noCounts = (): DayCounts => ({ page: 0, txt: 0, mcp: 0, cli: 0, answered: 0, uncovered: 0, unanswered: 0 })

/** The counters of a day that an event raises. */
export function raisedCounters({ surface, question }: Pick<UsageEvent, 'surface' | 'question'>): (keyof DayCounts)[] {
  if (question === undefined) return [surface]
  return question.outcome === 'unanswered' ? ['unanswered'] : [surface, question.outcome]
}
