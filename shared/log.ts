type Write = (fields: Record<string, unknown>, message: string) => void

/** JSON lines. The message is constant; variable data goes into fields. `error` means that a person should look at it. */
export type Log = { info: Write; warn: Write; error: Write }

/** The log of a server. `debug` is for lines that would hide the others, such as polls. */
export type ServerLog = Log & { debug: Write }
