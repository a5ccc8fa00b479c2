import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { OauthClient } from './oauth-store.ts'

/** A request of a client, which a user allows or refuses. */
export type AuthorizationRequest = {
  client: OauthClient
  redirectUri: string
  /** True if the request named the redirect address, which the exchange of the code then names, too. */
  namesRedirect: boolean
  challenge: string
  state: string | undefined
  resource: string
}

export type GrantedCode = AuthorizationRequest & { userId: string }

/** Requests and codes that are on their way. In memory: they last minutes, and a client begins again. */
export type Authorizations = {
  /** Returns the id of the request. */
  ask(request: AuthorizationRequest): string
  find(id: string): AuthorizationRequest | undefined
  /** Ends a request. */
  end(id: string): void
  /** A code for a request that a user has allowed. */
  allow(request: AuthorizationRequest, userId: string): string
  /** The request of a code, once. A code that was used names its grant, which then ends. */
  redeem(code: string): { granted: GrantedCode } | { replayedGrant: string } | undefined
  /** Remembers the grant of a code that was redeemed. */
  redeemed(code: string, grantId: string): void
}

const requestMs = 600_000
const codeMs = 60_000
const maxEntries = 5_000

export function authorizationsInMemory(nowMs: () => number = () => performance.now()): Authorizations {
  const requests = new LRUCache<string, { request: AuthorizationRequest; endsMs: number }>({ max: maxEntries })
  const codes = new LRUCache<string, { granted: GrantedCode; endsMs: number }>({ max: maxEntries })
  const used = new LRUCache<string, string>({ max: maxEntries })
  const find = (id: string) => {
    const entry = requests.get(id)
    return entry !== undefined && entry.endsMs > nowMs() ? entry.request : undefined
  }
  return {
    ask(request) {
      const id = randomBytes(24).toString('base64url')
      requests.set(id, { request, endsMs: nowMs() + requestMs })
      return id
    },
    find,
    end: (id) => void requests.delete(id),
    allow(request, userId) {
      const code = randomBytes(32).toString('base64url')
      codes.set(code, { granted: { ...request, userId }, endsMs: nowMs() + codeMs })
      return code
    },
    redeem(code) {
      const replayedGrant = used.get(code)
      if (replayedGrant !== undefined) return { replayedGrant }
      const entry = codes.get(code)
      codes.delete(code)
      return entry !== undefined && entry.endsMs > nowMs() ? { granted: entry.granted } : undefined
    },
    redeemed: (code, grantId) => void used.set(code, grantId),
  }
}

/** True if the verifier is that of an S256 challenge. */
export function verifiesChallenge(challenge: string, verifier: string): boolean {
  const made = Buffer.from(createHash('sha256').update(verifier).digest('base64url'))
  const sent = Buffer.from(challenge)
  return made.length === sent.length && timingSafeEqual(made, sent)
}
