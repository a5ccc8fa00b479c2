import { LRUCache } from 'lru-cache'
import { tooMany } from './attempts.ts'

/**
 * Slows down guesses of one user's password from many addresses. An address has a few attempts at a user for free, so the right password
 * from an address that is not guessing is never held up; after those it shares the user's pause with all others that guess.
 */
export type Backoff = {
  /** Counts an attempt as wrong until it `succeeded`. Throws rate_limit_exceeded during a pause. */
  begin(username: string, address: string): void
  succeeded(username: string, address: string): void
}

type Count = { attempts: number; lastMs: number }

const freePerAddress = 3
const freePerUser = 5
const firstPauseMs = 500
const maxPauseMs = 8_000
const forgottenAfterMs = 15 * 60_000
const maxKeys = 10_000

export function backoffInMemory(nowMs: () => number = () => performance.now()): Backoff {
  const byUser = new LRUCache<string, Count>({ max: maxKeys })
  const byAddress = new LRUCache<string, Count>({ max: maxKeys })
  const countOf = (counts: LRUCache<string, Count>, key: string): Count => {
    const count = counts.get(key)
    return count !== undefined && nowMs() - count.lastMs < forgottenAfterMs ? count : { attempts: 0, lastMs: 0 }
  }
  const keysOf = (username: string, address: string) => {
    const user = username.trim().toLowerCase()
    return { user, pair: `${address} ${user}` }
  }
  return {
    begin(username, address) {
      const { user, pair } = keysOf(username, address)
      const [ofUser, ofPair] = [countOf(byUser, user), countOf(byAddress, pair)]
      const over = ofUser.attempts - freePerUser
      if (ofPair.attempts >= freePerAddress && over >= 0) {
        const waitMs = ofUser.lastMs + Math.min(maxPauseMs, firstPauseMs * 2 ** over) - nowMs()
        if (waitMs > 0) throw tooMany(waitMs, 1)
      }
      byUser.set(user, { attempts: ofUser.attempts + 1, lastMs: nowMs() })
      byAddress.set(pair, { attempts: ofPair.attempts + 1, lastMs: nowMs() })
    },
    succeeded(username, address) {
      const { user, pair } = keysOf(username, address)
      const ofUser = countOf(byUser, user)
      byAddress.delete(pair)
      byUser.set(user, { ...ofUser, attempts: Math.max(0, ofUser.attempts - 1) })
    },
  }
}
