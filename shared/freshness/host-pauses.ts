/** The hosts that do not respond, and until when they are not asked. */
export type HostPauses = {
  /** The end of the pause; undefined if the host may be asked. */
  until(host: string): Date | undefined
  /** Pauses a host, each time twice as long, up to an hour; at least as long as it has asked for. */
  failed(host: string, retryAfterMs?: number): void
  responded(host: string): void
}

const firstPauseMs = 60_000
const maxPauseMs = 3_600_000

export function hostPauses(now: () => Date): HostPauses {
  const pauses = new Map<string, { until: Date; failures: number }>()
  return {
    until(host) {
      const end = pauses.get(host)?.until
      return end !== undefined && end > now() ? end : undefined
    },
    failed(host, retryAfterMs = 0) {
      const failures = (pauses.get(host)?.failures ?? 0) + 1
      const pauseMs = Math.max(Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1)), Math.min(retryAfterMs, 24 * maxPauseMs))
      pauses.set(host, { until: new Date(now().getTime() + pauseMs), failures })
    },
    responded: (host) => void pauses.delete(host),
  }
}
