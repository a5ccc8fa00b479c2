import { z } from 'zod'
import { AppError } from '../errors.ts'

const count = z.int().min(1).max(1_000_000_000)

/** The requests that one subject may send; a missing number is no limit. */
export type RequestLimit = {
  /** Requests of a key, or of an address that sends no key, in a minute. */
  minute?: number
  /** Requests of a teamspace on a day, in UTC. */
  day?: number
  /** Libraries that a teamspace adds or refreshes on a day, in UTC. */
  adds?: number
}

/** Licenses have the limits of the plan `enterprise`. */
export type RequestLimits = Record<'anonymous' | 'free' | 'team' | 'enterprise', RequestLimit>

export const defaultRequestLimits: RequestLimits = {
  anonymous: { minute: 60 },
  free: { minute: 300, day: 1_000, adds: 5 },
  team: { minute: 3_000, day: 10_000, adds: 50 },
  enterprise: {},
}

/** `null` removes a limit. */
const limit = count.nullable()
const OfPlan = z.strictObject({ minute: limit, day: limit, adds: limit }).partial()
const Changes = z
  .strictObject({ anonymous: z.strictObject({ minute: limit }).partial(), free: OfPlan, team: OfPlan, enterprise: OfPlan })
  .partial()

/** Reads REQUEST_LIMITS, the changes to `defaults` as JSON, such as `{"anonymous":{"minute":120},"free":{"day":null}}`. Throws validation_error. */
export function readRequestLimits(text: string, defaults = defaultRequestLimits): RequestLimits {
  const changes = Changes.safeParse(parsed(text))
  if (!changes.success) {
    const [issue] = changes.error.issues
    throw invalid(`${issue?.path.join('.') || 'its value'}: ${issue?.message}`)
  }
  const limits = structuredClone(defaults)
  for (const [who, change] of Object.entries(changes.data))
    for (const [name, value] of Object.entries(change ?? {})) {
      const limit = limits[who as keyof RequestLimits]
      if (value === null) delete limit[name as keyof RequestLimit]
      else limit[name as keyof RequestLimit] = value
    }
  return limits
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid('it is not JSON', error)
  }
}

const invalid = (why: string, cause?: unknown): AppError =>
  new AppError('validation_error', `REQUEST_LIMITS cannot be used: ${why}. An example: {"anonymous":{"minute":120}}`, { cause })
