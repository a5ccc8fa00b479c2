import { z } from 'zod'
import { segmentsOf } from './path-matcher.ts'

const maxWildcards = 16
const maxSegments = 32

/** A pattern from a project file or a request, which are untrusted: the limits bound the cost of a match. */
export const patternText = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .refine(
      (pattern) => (pattern.match(/\*+|\?/g)?.length ?? 0) <= maxWildcards && segmentsOf(pattern).length <= maxSegments,
      `must not have more than ${maxWildcards} wildcards or ${maxSegments} segments`,
    )
