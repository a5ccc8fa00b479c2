import { z } from 'zod/mini'

/** The groups of actions, by the part of their names before the dot. */
export const auditActions = {
  session: 'Sign-ins and sessions',
  key: 'Keys',
  user: 'Users',
  setting: 'Settings',
  library: 'Libraries',
  request: 'Refused requests',
  backup: 'Backups',
  audit: 'The log itself',
} as const
export const auditOutcomes = { allowed: 'Allowed', refused: 'Refused' } as const

const text = z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(200))), undefined)
const day = z.catch(z.optional(z.iso.date()), undefined)
const keyOf = <Names extends object>(names: Names) =>
  z.catch(z.optional(z.enum(Object.keys(names) as (keyof Names & string)[])), undefined)

/** The parameters in the address of the page. Values that cannot be a filter are ignored, so that an old link still opens. */
export const installAuditSearch = z.object({
  q: text,
  actor: text,
  library: text,
  action: keyOf(auditActions),
  outcome: keyOf(auditOutcomes),
  /** The first day and the last day, in UTC. */
  from: day,
  to: day,
  page: z.catch(z.optional(z.int().check(z.positive(), z.maximum(1_000_000))), undefined),
})
export type InstallAuditSearch = z.infer<typeof installAuditSearch>
