import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { AppError } from '../../shared/errors.ts'

/** The value of an option by its schema. Throws a validation_error that names the option. */
export function readOption<T>(option: string, schema: z.ZodType<T>, value: unknown): T {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw new AppError('validation_error', `${option} ${read.error.issues[0]?.message ?? 'is not valid'}.`)
}

/** The text of a file that an option or argument names. Throws a validation_error that names both. */
export function readFileOption(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const why = code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a directory' : `cannot be read (${code})`
    throw new AppError('validation_error', `${option}: the file ${path} ${why}.`, { cause: error })
  }
}
