import { z } from 'zod'

/** A whole number as a query or a path spells it: digits alone. */
export const wholeNumber = (min: number, max: number) => {
  const rule = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,16}$/, rule)
    .transform(Number)
    .pipe(z.int(rule).min(min, rule).max(max, rule))
    .meta({ override: { type: 'integer', minimum: min, maximum: max } })
}
