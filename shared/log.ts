type Write = (fields: Record<string, unknown>, message: string) => void

/** JSON lines. The message is constant; variable data goes into fields. `error` means that a person should look at it. */
export type Log = { info: Write; warn: Write; error: Write }

/** The log of a server. `debug` is for lines that would hide the others, such as polls. */
export type ServerLog = Log & { debug: Write }

const levels = ['debug', 'info', 'warn', 'error'] as const

/** The same log, whose lines also have these fields. */
export function logWith<L extends Partial<ServerLog>>(
  log: L,
  fields: Record<string, unknown>,
): Pick<L, keyof L & keyof ServerLog> {
  const bound: Partial<ServerLog> = {}
  for (const level of levels) if (log[level]) bound[level] = (more, message) => log[level]?.({ ...fields, ...more }, message)
  return bound as Pick<L, keyof L & keyof ServerLog>
}
