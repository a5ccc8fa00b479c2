import { createHmac } from 'node:crypto'

export type UserFacts = {
  /** Id of the caller's key, not the key itself. */
  keyId?: string
  /** Session id of MCP. */
  sessionId?: string
  address: string
  userAgent: string
}

const maxChars = 1000

/**
 * The pseudonym of a user for one day: the first 16 bytes of an HMAC-SHA-256 with the salt of the day, as 22 characters of base64url. Uses the API
 * key if there is one, else the session, else address and User-Agent.
 */
export function userKey({ salt, ...user }: UserFacts & { salt: Uint8Array }): string {
  const digest = createHmac('sha256', salt)
    .update(JSON.stringify(identity(user)))
    .digest()
  return digest.subarray(0, 16).toString('base64url')
}

/** The first word distinguishes a session from a key with the same text. */
function identity({ keyId, sessionId, address, userAgent }: UserFacts): string[] {
  if (keyId) return ['key', keyId.slice(0, maxChars)]
  if (sessionId) return ['session', sessionId.slice(0, maxChars)]
  return ['address', address.slice(0, maxChars), userAgent.slice(0, maxChars)]
}
