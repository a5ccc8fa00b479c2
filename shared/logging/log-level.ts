import { z } from 'zod'

/** The variable LOG_LEVEL: the least important lines that are logged. */
export const LogLevel = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.enum(['error', 'warn', 'info', 'debug'], 'must be error, warn, info or debug'))
  .default('info')
export type LogLevel = z.infer<typeof LogLevel>
