import { z } from 'zod'

/** A whole number as a query, a path or the environment spells it: digits alone. */
export const wholeNumber = (min: number, max: number) => digits(min, max).meta({ override: documented(min, max) })

/** The same where it may be left out. */
export const wholeNumberOr = (absent: number, min: number, max: number) =>
  digits(min, max)
    .default(absent)
    .meta({ override: { ...documented(min, max), default: absent } })

function digits(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,16}$/, rule)
    .transform(Number)
    .pipe(z.int(rule).min(min, rule).max(max, rule))
}

/** What the OpenAPI document says of it: it is a text on the wire alone. */
const documented = (minimum: number, maximum: number) => ({ type: 'integer' as const, pattern: undefined, minimum, maximum })
