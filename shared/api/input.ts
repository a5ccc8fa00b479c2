import type { ValidationTargets } from 'hono'
import { validator } from 'hono/validator'
import type { z } from 'zod'
import { AppError } from '../errors.ts'

/** Parses a part of the request; what is wrong with it becomes validation_error like any other error. */
export const input = <Target extends keyof ValidationTargets, Schema extends z.ZodType>(target: Target, schema: Schema) =>
  validator(target, (value: unknown): z.output<Schema> => {
    const read = schema.safeParse(value, { error: (issue) => ruleOf(target, issue) })
    if (read.success) return read.data
    throw new AppError('validation_error', [...new Set(read.error.issues.map(sentence))].join(' '))
  })

/** Messages of schemas are what must be: `must be a text`. */
const sentence = ({ path, message }: z.core.$ZodIssue): string =>
  `${path.length === 0 ? 'The body' : path.join('.')} ${message.replace(/\.$/, '')}.`

/** What holds where a schema does not say it in its own words. */
function ruleOf(target: keyof ValidationTargets, issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is required'
  if (target === 'query' && Array.isArray(issue.input)) return 'must be given only once'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames.get(issue.expected) ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`
    case 'too_big':
      if (issue.origin === 'string') return `must not be longer than ${issue.maximum} characters`
      return issue.origin === 'array' ? `must not hold more than ${issue.maximum} items` : `must be at most ${issue.maximum}`
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
])
