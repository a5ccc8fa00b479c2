type Line = { msg?: string; status?: number; error?: unknown }
type LoggedError = { message?: unknown; causes?: unknown; stack?: unknown }

/**
 * A JSON line of the log, as a terminal shows it. Answered requests are omitted, since they would push everything else off the screen. An error
 * without stack frames is its message, so that it fits the line.
 */
export function lineForPeople(json: string): string | undefined {
  const line = JSON.parse(json) as Line
  if (line.msg === 'request' && line.status !== undefined && line.status < 400) return undefined
  const error = messageOf(line.error)
  return error === undefined ? json : `${JSON.stringify({ ...line, error })}\n`
}

/** Returns undefined for an error that has stack frames: a bug is shown whole. */
function messageOf(error: unknown): string | undefined {
  const { message, causes, stack } = (error ?? {}) as LoggedError
  if (typeof message !== 'string' || stack !== undefined) return undefined
  return [message, ...(Array.isArray(causes) ? causes : [])].join(' Cause: ')
}
