import { z } from 'zod'

/** One line of text: trimmed, not empty, without control characters: neither of lines nor of the direction of the text after it. */
export const shortText = (maxLength: number) =>
  z
    .string('must be a text')
    .trim()
    .min(1, 'must not be empty')
    .max(maxLength, `must not be longer than ${maxLength} characters`)
    .regex(/^[^\p{Cc}\u2028-\u202E\u2066-\u2069]*$/u, 'must be one line without control characters')
