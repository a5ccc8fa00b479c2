/** Exit codes of a shell for a command that a signal has ended. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Runs `work` with a signal that Ctrl-C and similar signals abort, so that it can clean up. The exit code says that it was interrupted. */
export async function endOnInterrupt(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupt = new AbortController()
  const end = (signal: keyof typeof exitCodes) => {
    process.exitCode = exitCodes[signal]
    interrupt.abort()
  }
  const signals = Object.keys(exitCodes) as (keyof typeof exitCodes)[]
  for (const signal of signals) process.on(signal, end)
  try {
    await work(interrupt.signal)
  } catch (error) {
    if (!interrupt.signal.aborted) throw error
  } finally {
    for (const signal of signals) process.off(signal, end)
  }
}
