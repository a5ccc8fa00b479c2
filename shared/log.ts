/** JSON lines. The message is constant; variable data goes into fields. `error` means that a person should look at it. */
export type Log = {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}
