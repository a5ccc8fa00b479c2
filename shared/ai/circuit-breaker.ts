/**
 * One request to a provider. Call one of these when it ends; `rejected` if the provider works and rejects this question, `abandoned` if the caller
 * left before the response.
 */
export type Attempt = { passed(): void; failed(): void; rejected(): void; abandoned(): void }

/** A provider that rejects more requests in a row rejects everything. */
const maxRejections = 3

type Pauses = { firstMs: number; maxMs: number; nowMs?: () => number }

/**
 * Keeps a failed provider from delaying every question: no requests for a pause that doubles with each failure, then a single trial request.
 * Returns undefined during the pause. A change of provider resets it.
 */
export function circuitBreaker({
  firstMs,
  maxMs,
  nowMs = () => performance.now(),
}: Pauses): (provider: string) => Attempt | undefined {
  let current: string | undefined
  let failures = 0
  let rejections = 0
  let pausedUntilMs = 0
  const pause = () => {
    pausedUntilMs = nowMs() + Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1))
  }
  return (provider) => {
    if (provider !== current) {
      current = provider
      failures = 0
      rejections = 0
      pausedUntilMs = 0
    }
    if (nowMs() < pausedUntilMs) return undefined
    if (failures > 0) pause()
    const [before, pausedByThisMs] = [failures, pausedUntilMs]
    const responds = () => {
      failures = 0
      pausedUntilMs = 0
    }
    const fails = () => {
      // Requests that fail together count once.
      if (failures !== before) return
      failures += 1
      pause()
    }
    return {
      passed() {
        if (provider !== current) return
        rejections = 0
        responds()
      },
      failed() {
        if (provider === current) fails()
      },
      rejected() {
        if (provider !== current) return
        rejections += 1
        if (rejections < maxRejections) responds()
        else fails()
      },
      abandoned() {
        // The next caller makes the trial request.
        if (provider === current && failures === before && pausedUntilMs === pausedByThisMs) pausedUntilMs = 0
      },
    }
  }
}
