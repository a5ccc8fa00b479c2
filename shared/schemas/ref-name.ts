import { z } from 'zod'
import { visibleText } from '../text/visible-text.ts'

/** The name of a branch or tag. Git would read one that begins with "-" as an option. */
export const RefName = z
  .string()
  .overwrite(visibleText)
  .trim()
  .min(1)
  .max(255)
  .refine((name) => !name.startsWith('-'), 'must not begin with "-"')
