import { z } from 'zod'

/** Some of these values in a query, separated by commas. */
export const listOf = <Value extends string>(values: readonly Value[]) =>
  z
    .string()
    .refine(
      (text) => text.split(',').every((each) => (values as readonly string[]).includes(each)),
      `must be one or more of ${values.join(', ')}, separated by commas`,
    )
    .transform((text) => text.split(',') as Value[])
