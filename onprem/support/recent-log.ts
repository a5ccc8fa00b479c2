import type { ServerLog } from '../../shared/log.ts'
import { redactError } from './redact-error.ts'

/** A log that keeps its last lines, for the support bundle. */
export type RecentLog = ServerLog & {
  /** JSON lines, oldest first. */
  lines(): string[]
}

const maxLines = 2_000
const maxLineChars = 4_000

/** Passes lines on to `log` and keeps the last 2,000 in memory. */
export function recentLog(log: ServerLog, now: () => Date): RecentLog {
  const recent: string[] = []
  let next = 0
  const at = (level: 'info' | 'warn' | 'error') => (fields: Record<string, unknown>, message: string) => {
    log[level](fields, message)
    recent[next] = lineOf({ level, time: now().toISOString(), ...fields, message })
    next = (next + 1) % maxLines
  }
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    lines: () => [...recent.slice(next), ...recent.slice(0, next)],
  }
}

function lineOf(fields: Record<string, unknown>): string {
  const line = JSON.stringify(fields, (_, value) => (value instanceof Error ? redactError(value) : value))
  if (line.length <= maxLineChars) return line
  const { level, time, message } = fields
  return JSON.stringify({ level, time, message, cut: `The line had ${line.length} characters.` })
}
