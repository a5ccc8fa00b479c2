import { randomBytes, randomInt } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** A command line that asks for a key, until a user decides about it. */
type DeviceLogin = {
  name: string
  address: string
  userCode: string
  endsMs: number
  polledMs: number
  outcome: 'pending' | 'refused' | { key: string }
}

/** Logins of command lines as RFC 8628 describes them. In memory: they last ten minutes. */
export type DeviceLogins = {
  /** `address`: that of the command line, by which the user knows it. */
  begin(name: string, address: string): { deviceCode: string; userCode: string }
  /** The login that shows this code and waits for a decision. */
  find(userCode: string): { name: string; address: string } | undefined
  /** Ends the wait. Without a key, the user has refused. */
  decide(userCode: string, key: string | undefined): void
  /** The state of a login for its command line, which gets the key once. */
  poll(deviceCode: string): 'pending' | 'slow_down' | 'refused' | 'expired' | { key: string }
}

export const deviceSeconds = 600
export const pollSeconds = 3
const maxLogins = 1_000
/** Letters that nobody confuses, and that form no words. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'

export function deviceLoginsInMemory(nowMs: () => number = () => performance.now()): DeviceLogins {
  const logins = new LRUCache<string, DeviceLogin>({ max: maxLogins })
  const deviceCodes = new LRUCache<string, string>({ max: maxLogins })
  const pending = (userCode: string) => {
    const login = logins.get(deviceCodes.get(plain(userCode)) ?? '')
    return login?.outcome === 'pending' && login.endsMs > nowMs() ? login : undefined
  }
  return {
    begin(name, address) {
      const deviceCode = randomBytes(32).toString('base64url')
      const userCode = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')
      const endsMs = nowMs() + deviceSeconds * 1000
      logins.set(deviceCode, { name, address, userCode, endsMs, polledMs: -Infinity, outcome: 'pending' })
      deviceCodes.set(userCode, deviceCode)
      return { deviceCode, userCode: `${userCode.slice(0, 4)}-${userCode.slice(4)}` }
    },
    find: (userCode) => pending(userCode),
    decide(userCode, key) {
      const login = pending(userCode)
      if (login) login.outcome = key === undefined ? 'refused' : { key }
    },
    poll(deviceCode) {
      const login = logins.get(deviceCode)
      if (!login || login.endsMs <= nowMs()) return 'expired'
      const isEarly = nowMs() - login.polledMs < (pollSeconds - 1) * 1000
      login.polledMs = nowMs()
      if (login.outcome === 'pending') return isEarly ? 'slow_down' : 'pending'
      logins.delete(deviceCode)
      deviceCodes.delete(login.userCode)
      return login.outcome
    },
  }
}

/** People type a code with or without its hyphen, in any case. */
const plain = (userCode: string): string => userCode.toUpperCase().replace(/[^A-Z]/g, '')
