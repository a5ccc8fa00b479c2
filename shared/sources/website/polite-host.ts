import { setTimeout as sleep } from 'node:timers/promises'
import pLimit, { type LimitFunction } from 'p-limit'
import { AppError, isTransient } from '../../errors.ts'
import { retryAfterMs } from '../../network/retry-after-ms.ts'
import type { Download, DownloadRequest } from '../download.ts'
import type { FetchPage } from './fetch-page.ts'

export type Pace = {
  /** Requests to one host at the same time. */
  concurrent: number
  /** Pause between the starts of two requests to one host. */
  intervalMs: number
  /** The longest crawl-delay of a robots.txt that is kept. */
  maxDelayMs: number
  /** The longest pause that a host may ask for with `Retry-After`. A host that asks for more ends the crawl. */
  maxPauseMs: number
  /** Pauses before the second, third, … try if a host does not say how long to wait. */
  retryMs: number[]
}

export const pace: Pace = { concurrent: 4, intervalMs: 25, maxDelayMs: 5_000, maxPauseMs: 60_000, retryMs: [2_000, 10_000] }

type Host = { limit: LimitFunction; intervalMs: number; next: number }

/** Requests pages at the pace that their hosts ask for. */
export type PoliteHosts = {
  /** Tries again if the host is busy or cannot be reached. Throws rate_limit_exceeded, and what the request throws. */
  get(url: string, request: DownloadRequest): Promise<Download>
  /** Applies the crawl-delay of a host. */
  slowDown(host: string, delayMs: number): void
}

export function politeHosts(
  fetchPage: FetchPage,
  { concurrent, intervalMs, maxDelayMs, maxPauseMs, retryMs }: Pace,
): PoliteHosts {
  const hosts = new Map<string, Host>()
  const hostOf = (name: string) => {
    const host = hosts.get(name) ?? { limit: pLimit(concurrent), intervalMs, next: 0 }
    hosts.set(name, host)
    return host
  }

  const turn = async (host: Host, signal: AbortSignal) => {
    for (let waitMs = host.next - Date.now(); waitMs > 0; waitMs = host.next - Date.now())
      await sleep(waitMs, undefined, { signal })
    host.next = Date.now() + host.intervalMs
  }

  /** Pauses the host. Throws if it asks for too long a pause. */
  const pause = (host: Host, response: Download, retryPauseMs: number) => {
    const askedMs = retryAfterMs(response.header('retry-after'), new Date())
    if (askedMs !== undefined && askedMs > maxPauseMs) throw tooBusy(response.url, askedMs)
    host.next = Math.max(host.next, Date.now() + (askedMs ?? retryPauseMs))
    host.intervalMs = Math.min(maxDelayMs, host.intervalMs * 2)
  }

  const tryAgain = async (host: Host, url: string, request: DownloadRequest): Promise<Download> => {
    for (const retryPauseMs of retryMs) {
      await turn(host, request.signal)
      try {
        const response = await fetchPage(url, request)
        if (response.status !== 429 && response.status !== 503) return response
        pause(host, response, retryPauseMs)
      } catch (error) {
        request.signal.throwIfAborted()
        if (!isTransient(error) || error.code === 'rate_limit_exceeded' || error.code === 'timeout') throw error
        host.next = Math.max(host.next, Date.now() + retryPauseMs)
      }
    }
    await turn(host, request.signal)
    return fetchPage(url, request)
  }

  return {
    get: (url, request) => {
      const host = hostOf(new URL(url).host)
      return host.limit(() => tryAgain(host, url, request))
    },
    slowDown(name, delayMs) {
      const host = hostOf(name)
      host.intervalMs = Math.max(host.intervalMs, Math.min(delayMs, maxDelayMs))
    },
  }
}

const tooBusy = (url: string, pauseMs: number): AppError =>
  new AppError(
    'rate_limit_exceeded',
    `${new URL(url).host} asks to wait ${Math.ceil(pauseMs / 1000)} s before its next page is read. Refresh the library later.`,
    { retry: 'limited', retryAfterMs: pauseMs },
  )
