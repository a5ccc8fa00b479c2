/** JSON lines: the message is constant, what varies stands in fields. `error` means that a person should look. */
export type Log = {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}
