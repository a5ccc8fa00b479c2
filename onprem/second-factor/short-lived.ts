import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** Values that are valid for ten minutes. In memory: they end with the server, and people begin again. */
export type ShortLived<Value extends object> = {
  /** Stores a value. Returns the random token that finds it. */
  add(value: Value): string
  /** Stores a value under a known key, instead of an older one. */
  set(key: string, value: Value): void
  find(key: string): Value | undefined
  /** Returns the value once. */
  take(key: string): Value | undefined
  end(key: string): void
}

export const shortSeconds = 600
const maxValues = 10_000

export function shortLived<Value extends object>(nowMs: () => number = () => performance.now()): ShortLived<Value> {
  const values = new LRUCache<string, { value: Value; endsMs: number }>({ max: maxValues })
  const set = (key: string, value: Value) => void values.set(key, { value, endsMs: nowMs() + shortSeconds * 1000 })
  const find = (key: string) => {
    const entry = values.get(key)
    return entry !== undefined && entry.endsMs > nowMs() ? entry.value : undefined
  }
  return {
    add(value) {
      const token = randomBytes(32).toString('base64url')
      set(token, value)
      return token
    },
    set,
    find,
    take(key) {
      const value = find(key)
      values.delete(key)
      return value
    },
    end: (key) => void values.delete(key),
  }
}
