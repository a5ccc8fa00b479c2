const maxStopMs = 20_000
/** npm passes on a Ctrl-C that the server has received from the terminal already. */
const minBetweenMs = 500

/** Stops the process on SIGINT, SIGTERM or SIGHUP, after 20 seconds at most. A second signal ends it immediately. Called before the start,
 * so that a signal during the start stops the server when it has started. As process 1 of a container it would be ignored. */
export function endOnSignal(stop: () => Promise<void>): void {
  let beganMs: number | undefined
  const end = async () => {
    setTimeout(() => process.exit(1), maxStopMs).unref()
    await stop()
    process.exit(0)
  }
  const onSignal = () => {
    if (beganMs !== undefined && performance.now() - beganMs > minBetweenMs) process.exit(1)
    if (beganMs !== undefined) return
    beganMs = performance.now()
    void end()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
}
