import { addressKey } from './web-address.ts'

export type QueuedAddress = { url: URL; depth: number }

/** Addresses to visit, each once, in the order in which they were found. */
export type AddressQueue = {
  /** Returns false if the address was found before, or if there is no room for another. */
  add(address: QueuedAddress): boolean
  /** Marks an address that needs no visit. Returns false if it was found before. */
  mark(url: URL): boolean
  next(): QueuedAddress | undefined
  readonly waiting: number
}

export function addressQueue(maxAddresses: number): AddressQueue {
  const found = new Set<string>()
  let queue: QueuedAddress[] = []
  let at = 0
  const mark = (url: URL) => {
    const key = addressKey(url)
    if (found.has(key) || found.size >= maxAddresses) return false
    found.add(key)
    return true
  }
  return {
    mark,
    add(address) {
      const isNew = mark(address.url)
      if (isNew) queue.push(address)
      return isNew
    },
    next() {
      const address = queue[at]
      if (!address) return undefined
      at += 1
      if (at > 1_000) {
        queue = queue.slice(at)
        at = 0
      }
      return address
    },
    get waiting() {
      return queue.length - at
    },
  }
}
