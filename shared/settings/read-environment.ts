import type { z } from 'zod'
import { AppError } from '../errors.ts'

/** Reads the environment by a schema. Treats an empty variable as unset. Throws validation_error. */
export function readEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  env: Record<string, string | undefined>,
): z.output<Schema> {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const read = schema.safeParse(variables)
  if (read.success) return read.data
  throw new AppError('validation_error', read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`).join(' '))
}
