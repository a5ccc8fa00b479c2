import { z } from 'zod'

/** One line of text: trimmed, not empty, without control characters. */
export const shortText = (maxLength: number) =>
  z
    .string('must be a text')
    .trim()
    .min(1, 'must not be empty')
    .max(maxLength, `must not be longer than ${maxLength} characters`)
    .regex(/^\P{Cc}*$/u, 'must be one line without control characters')
