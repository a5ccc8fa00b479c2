/** One use of a provider; one of these says how it ended. `abandoned` is for a caller that left before the provider answered. */
export type Attempt = { passed(): void; failed(): void; abandoned(): void }

type Pauses = { firstMs: number; maxMs: number; nowMs?: () => number }

/**
 * Keeps a provider that is down from costing every question its time: after a failure nobody asks it for a while, twice as long each time it
 * fails again, and then one alone tries. Answers undefined where it is not to be asked; another provider begins anew.
 */
export function circuitBreaker({
  firstMs,
  maxMs,
  nowMs = () => performance.now(),
}: Pauses): (provider: string) => Attempt | undefined {
  let asked: string | undefined
  let failures = 0
  let closedUntilMs = 0
  const close = () => {
    closedUntilMs = nowMs() + Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1))
  }
  return (provider) => {
    if (provider !== asked) {
      asked = provider
      failures = 0
      closedUntilMs = 0
    }
    if (nowMs() < closedUntilMs) return undefined
    if (failures > 0) close()
    const [before, closedByThisMs] = [failures, closedUntilMs]
    return {
      passed() {
        if (provider !== asked) return
        failures = 0
        closedUntilMs = 0
      },
      failed() {
        // Of several that fail together one counts.
        if (provider !== asked || failures !== before) return
        failures += 1
        close()
      },
      abandoned() {
        // The next caller tries in its place.
        if (provider === asked && failures === before && closedUntilMs === closedByThisMs) closedUntilMs = 0
      },
    }
  }
}
