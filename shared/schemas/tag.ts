import { z } from 'zod'

/** A word or two in small letters, by which people group libraries. */
export const Tag = z
  .string()
  .trim()
  .toLowerCase()
  .max(40)
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._:/+-]*$/u,
    'A tag starts with a letter or digit, and has only these, spaces and . _ : / + -',
  )
