import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { OidcChecks } from '../../shared/oidc/oidc-client.ts'

/** A sign-in that has begun at an issuer, and the path of the page that follows. */
export type SignInFlow = OidcChecks & { issuer: string; next: string }

/** Sign-ins that have begun. In memory: they end with the server, and whoever began one begins another. */
export type SignInFlows = {
  /** The token is for the cookie of the browser that signs in. */
  begin(flow: SignInFlow): string
  /** Returns a flow once. Undefined if there is none, it was taken, or it has ended. */
  take(token: string): SignInFlow | undefined
}

export const flowSeconds = 600
const maxFlows = 10_000

export function signInFlows(nowMs: () => number = () => performance.now()): SignInFlows {
  const flows = new LRUCache<string, SignInFlow & { endsMs: number }>({ max: maxFlows })
  return {
    begin(flow) {
      const token = randomBytes(32).toString('base64url')
      flows.set(token, { ...flow, endsMs: nowMs() + flowSeconds * 1000 })
      return token
    },
    take(token) {
      const flow = flows.get(token)
      flows.delete(token)
      return flow !== undefined && flow.endsMs > nowMs() ? flow : undefined
    },
  }
}
