import { LRUCache } from 'lru-cache'
import { AppError } from '../../shared/errors.ts'

/** The attempts that are allowed per span of time. */
type Rule = { maxAttempts: number; spanMs: number }

/** Limits password attempts. Kept in memory, so that many attempts cause no writes. */
export type Attempts = {
  /** Counts one attempt. Throws rate_limit_exceeded if there were too many. */
  take(key: string, rule: Rule): void
  /** Uncounts an attempt. */
  giveBack(key: string): void
}

const maxKeys = 10_000

export function attemptsInMemory(nowMs: () => number = () => performance.now()): Attempts {
  const spans = new LRUCache<string, { beganMs: number; attempts: number }>({ max: maxKeys })
  const spanOf = (key: string, { spanMs }: Rule) => {
    const span = spans.get(key)
    return span !== undefined && nowMs() - span.beganMs < spanMs ? span : { beganMs: nowMs(), attempts: 0 }
  }
  return {
    take(key, rule) {
      const span = spanOf(key, rule)
      if (span.attempts >= rule.maxAttempts) throw tooMany(span.beganMs + rule.spanMs - nowMs(), rule.maxAttempts)
      spans.set(key, { ...span, attempts: span.attempts + 1 })
    },
    giveBack(key) {
      const span = spans.get(key)
      if (span) spans.set(key, { ...span, attempts: Math.max(0, span.attempts - 1) })
    },
  }
}

export function tooMany(waitMs: number, limitRequests: number): AppError {
  const message = `There were too many attempts. Try again in ${waitText(waitMs)}.`
  return new AppError('rate_limit_exceeded', message, { retryAfterMs: waitMs, limitRequests })
}

function waitText(waitMs: number): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  if (seconds > 7_200) return `${Math.ceil(seconds / 3_600)} hours`
  return seconds === 1 ? 'a second' : `${seconds} seconds`
}
