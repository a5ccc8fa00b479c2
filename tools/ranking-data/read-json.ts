import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { UsageError } from '../../shared/cli/usage-error.ts'

/** Reads the JSON file that an option names. Throws a usage error that names both. */
export function readJson<T>(option: string, file: string, schema: z.ZodType<T>): T {
  let read: unknown
  try {
    read = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`${option}: ${file} cannot be read: ${error instanceof Error ? error.message : error}.`, {
      cause: error,
    })
  }
  const checked = schema.safeParse(read)
  if (!checked.success) throw new UsageError(`${option}: ${file} does not have the expected format.`, { cause: checked.error })
  return checked.data
}
