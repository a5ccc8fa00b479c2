import type { z } from 'zod'

/** The default message for an issue, to follow the name of the value: `must be a text`. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames.get(issue.expected) ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`
    case 'too_big':
      if (issue.origin === 'string') return `must not be longer than ${issue.maximum} characters`
      return issue.origin === 'array' ? `must not have more than ${issue.maximum} items` : `must be at most ${issue.maximum}`
    default:
      return undefined
  }
}

const typeNames = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a JSON object'],
  ['record', 'a JSON object'],
])
