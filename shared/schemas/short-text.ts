import { z } from 'zod'

/** One line of text: trimmed, not empty, without control characters. */
export const lineOfText = (maxLength: number) =>
  z
    .string('must be a text')
    .trim()
    .min(1, 'must not be empty')
    .max(maxLength, `must not be longer than ${maxLength} characters`)
    .regex(/^\P{Cc}*$/u, 'must be one line without control characters')

/** The same without the controls of lines and of the direction of the text after it, which a person could use to hide or fake a name. */
export const shortText = (maxLength: number) =>
  lineOfText(maxLength).regex(/^[^\u2028-\u202E\u2066-\u2069]*$/u, 'must be one line without control characters')
