import { z } from 'zod'
import { AppError } from '../errors.ts'
import { libraryIdPattern } from '../library.ts'
import { readLibraryId } from './read-library-id.ts'

const maxChars = 500

/** A library id in a query or body, as `readLibraryId` reads it. An invalid id keeps its error. */
export const LibraryIdParam = z
  .string()
  .min(1)
  .max(maxChars)
  .meta({ pattern: libraryIdPattern.source })
  .transform(parsedBy(readLibraryId))

/** The same in a path, which may omit the first slash. */
export const LibraryIdInPath = z
  .string()
  .meta({ pattern: libraryIdPattern.source.replace('^\\/', '^\\/?'), maxLength: maxChars })
  .transform(parsedBy(readLibraryId))

/** A transform for zod. An AppError of `parse` becomes an issue; `ownError` returns it. */
function parsedBy<T>(parse: (text: string) => T) {
  return (text: string, context: z.RefinementCtx): T => {
    try {
      return parse(text)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      context.addIssue({ code: 'custom', message: error.message, params: { error } })
      return z.NEVER
    }
  }
}

/** The AppError behind an issue that `parsedBy` made. */
export function ownError(issue: z.core.$ZodIssue): AppError | undefined {
  const error: unknown = issue.code === 'custom' ? issue.params?.error : undefined
  return error instanceof AppError ? error : undefined
}
