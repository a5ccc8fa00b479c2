const everyMs = 1_000

/** Counts requests that did not come through the Router. Each line of the log that publishes their number costs more than rejecting one. */
export function foreignRequestCounter(nowMs: () => number = () => performance.now()) {
  let waiting = 0
  let isLatest = false
  let publishedAtMs = Number.NEGATIVE_INFINITY
  return {
    add(): void {
      waiting += 1
      isLatest = true
    },
    /** True once after each `add`. */
    wasLatest(): boolean {
      const was = isLatest
      isLatest = false
      return was
    },
    /** The number of requests to publish, at most once a second; 0 if there are none or it is too early. */
    take(): number {
      if (nowMs() - publishedAtMs < everyMs) return 0
      const taken = waiting
      if (taken > 0) publishedAtMs = nowMs()
      waiting = 0
      return taken
    },
  }
}

/** A Lambda handles one request at a time, so its process has one counter. */
export const foreignRequests = foreignRequestCounter()
