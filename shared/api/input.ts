import { zValidator } from '@hono/zod-validator'
import type { ValidationTargets } from 'hono'
import type { z } from 'zod'
import { AppError } from '../errors.ts'

/** Parses a part of the request; what is wrong with it becomes validation_error like any other error. */
export const input = <Target extends keyof ValidationTargets, Schema extends z.ZodType>(target: Target, schema: Schema) =>
  zValidator(target, schema, (result) => {
    if (!result.success) throw new AppError('validation_error', result.error.issues.map(sentence).join(' '))
  })

function sentence({ path, message, code, ...issue }: z.core.$ZodIssue): string {
  const name = path.join('.')
  if (code === 'invalid_type' && issue.input === undefined && name !== '') return `${name} is required.`
  return `${name === '' ? 'The body' : name}: ${message.replace(/\.$/, '')}.`
}
