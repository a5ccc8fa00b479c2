import { z } from 'zod'

/** A whole number in a query, a path or the environment: digits only. */
export const wholeNumber = (min: number, max: number) => digits(min, max).meta({ override: documented(min, max) })

/** `wholeNumber` with a default. */
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

/** Documents it as an integer, although it is sent as text. */
const documented = (minimum: number, maximum: number) => ({ type: 'integer' as const, pattern: undefined, minimum, maximum })
