import { LRUCache } from 'lru-cache'
import { tooMany } from './attempts.ts'

/** `proxy` is the peer, if it sent the address in a header. */
export type SignInAttempt = { username: string; address: string; proxy?: string | undefined }

/**
 * Slows down password guessing. Each address has its own pauses after wrong guesses, which the attempts of others never extend. Attempts at
 * one user, or through one proxy, also share a rate. Addresses from which the user has signed in before are exempt from both rates.
 */
export type Backoff = {
  /** Counts an attempt as wrong until it `succeeded`. Returns how long to delay it. Throws rate_limit_exceeded if it must be repeated later. */
  begin(attempt: SignInAttempt): number
  succeeded(attempt: SignInAttempt): void
  /** True if the user has signed in from this address before. */
  knows(attempt: SignInAttempt): boolean
  /** Uncounts an attempt whose password was not compared. */
  withdraw(attempt: SignInAttempt): void
}

type Count = { wrong: number; lastMs: number }
/** `burst` attempts in a row, then one per `intervalMs`. */
type Rate = { burst: number; intervalMs: number }

const perUser: Rate = { burst: 5, intervalMs: 4_000 }
const perProxy: Rate = { burst: 120, intervalMs: 500 }
const maxHoldMs = 8_000
const freePerAddress = 3
const firstPauseMs = 500
const maxPauseMs = 5 * 60_000
const maxKnownPauseMs = 8_000
const forgetAfterMs = 15 * 60_000
const maxKeys = 10_000

export function backoffInMemory(nowMs: () => number = () => performance.now()): Backoff {
  const wrongOf = new LRUCache<string, Count>({ max: maxKeys })
  const knownPairs = new LRUCache<string, true>({ max: maxKeys })
  const sharedUntil = new LRUCache<string, number>({ max: maxKeys })
  const countOf = (pair: string): Count => {
    const count = wrongOf.get(pair)
    return count !== undefined && nowMs() - count.lastMs < forgetAfterMs ? count : { wrong: 0, lastMs: 0 }
  }
  const keysOf = ({ username, address, proxy }: SignInAttempt) => {
    const user = username.trim().toLowerCase()
    const rates: [string, Rate][] = [[`user ${user}`, perUser]]
    if (proxy !== undefined) rates.push([`proxy ${proxy}`, perProxy])
    return { pair: `${address} ${user}`, rates }
  }
  const usedUntil = (key: string) => Math.max(sharedUntil.get(key) ?? 0, nowMs())
  const holdOf = ([key, { burst, intervalMs }]: [string, Rate]) => usedUntil(key) - (burst - 1) * intervalMs - nowMs()

  const refund = ({ pair, rates }: ReturnType<typeof keysOf>) => {
    if (knownPairs.has(pair)) return
    for (const [key, { intervalMs }] of rates) sharedUntil.set(key, usedUntil(key) - intervalMs)
  }

  return {
    begin(attempt) {
      const { pair, rates } = keysOf(attempt)
      const { wrong, lastMs } = countOf(pair)
      const isKnown = knownPairs.has(pair)
      if (wrong >= freePerAddress) {
        const maxMs = isKnown ? maxKnownPauseMs : maxPauseMs
        const waitMs = lastMs + Math.min(maxMs, firstPauseMs * 2 ** (wrong - freePerAddress)) - nowMs()
        if (waitMs > 0) throw tooMany(waitMs, 1)
      }
      const shared = isKnown ? [] : rates
      const holdMs = Math.max(0, ...shared.map(holdOf))
      if (holdMs > maxHoldMs) throw tooMany(holdMs - maxHoldMs, 1)
      for (const [key, { intervalMs }] of shared) sharedUntil.set(key, usedUntil(key) + intervalMs)
      // A pause begins when the delayed attempt is compared.
      wrongOf.set(pair, { wrong: wrong + 1, lastMs: nowMs() + holdMs })
      return holdMs
    },
    knows: (attempt) => knownPairs.has(keysOf(attempt).pair),
    succeeded(attempt) {
      const keys = keysOf(attempt)
      refund(keys)
      wrongOf.delete(keys.pair)
      knownPairs.set(keys.pair, true)
    },
    withdraw(attempt) {
      const keys = keysOf(attempt)
      const { wrong, lastMs } = countOf(keys.pair)
      refund(keys)
      wrongOf.set(keys.pair, { wrong: Math.max(0, wrong - 1), lastMs })
    },
  }
}
