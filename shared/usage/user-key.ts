import { createHmac } from 'node:crypto'

export type UserFacts = {
  /** Identifies the caller's key without being it. */
  keyId?: string
  /** Of MCP. */
  sessionId?: string
  address: string
  userAgent: string
}

const maxChars = 1000

/**
 * What stands for a user during one day: the first 16 bytes of an HMAC-SHA-256 under the day's salt, as 22 characters of base64url. A key says
 * best who it is, then a session, then address and User-Agent together.
 */
export function userKey({ salt, ...user }: UserFacts & { salt: Uint8Array }): string {
  const digest = createHmac('sha256', salt)
    .update(JSON.stringify(identity(user)))
    .digest()
  return digest.subarray(0, 16).toString('base64url')
}

/** The first word keeps a session that is spelled like a key apart from it. */
function identity({ keyId, sessionId, address, userAgent }: UserFacts): string[] {
  if (keyId) return ['key', keyId.slice(0, maxChars)]
  if (sessionId) return ['session', sessionId.slice(0, maxChars)]
  return ['address', address.slice(0, maxChars), userAgent.slice(0, maxChars)]
}
