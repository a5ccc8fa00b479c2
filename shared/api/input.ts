import type { ValidationTargets } from 'hono'
import { validator } from 'hono/validator'
import type { z } from 'zod'
import { AppError } from '../errors.ts'
import { describeIssue } from '../schemas/describe-issue.ts'

/** Parses a part of the request; what is wrong with it becomes validation_error like any other error. */
export const input = <Target extends keyof ValidationTargets, Schema extends z.ZodType>(target: Target, schema: Schema) =>
  validator(target, (value: unknown): z.output<Schema> => {
    const isRepeated = (issue: z.core.$ZodRawIssue) => target === 'query' && Array.isArray(issue.input)
    const read = schema.safeParse(value, {
      error: (issue) => (isRepeated(issue) ? 'must be given only once' : describeIssue(issue)),
    })
    if (read.success) return read.data
    const wrong = new Map(read.error.issues.map(fieldOf).map((field) => [sentence(field), field]))
    throw new AppError('validation_error', [...wrong.keys()].join(' '), { fields: { fields: [...wrong.values()] } })
  })

/** Messages of schemas are what must be: `must be a text`. */
const fieldOf = ({ path, message }: z.core.$ZodIssue) => ({ path: path.join('.'), message: message.replace(/\.$/, '') })

const sentence = ({ path, message }: ReturnType<typeof fieldOf>): string => `${path === '' ? 'The body' : path} ${message}.`
