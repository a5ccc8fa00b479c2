import { createHmac, randomUUID } from 'node:crypto'
import type { Log } from '../log.ts'
import { TimeoutError, withTimeout } from '../time/with-timeout.ts'
import { isBot } from './is-bot.ts'
import type { Salts } from './salts.ts'
import type { UsageEvent } from './usage-event.ts'
import { isRefused, type UsageStream } from './usage-stream.ts'

/** The facts of a request that counting records. `client` (from `clientOf`) and the user facts are used only on the mcp surface. */
export type RequestUsage = Pick<UsageEvent, 'surface' | 'client' | 'country'> & UserFacts

/** A request that was answered with content of a library, or a question that nothing in it matched. */
export type AnsweredRequest = RequestUsage & Pick<UsageEvent, 'library' | 'version' | 'topics' | 'question'>

export type RecordPorts = { stream: UsageStream; salts: Pick<Salts, 'saltOf'>; log: Log; now(): Date }

/** Recording may delay a response by 50 ms. These limits leave a margin for late timers. */
const saltMs = 20
const putMs = 40

/**
 * Puts one event on the stream. Never throws, and takes at most 50 ms. Logs the complete event for a replay if it may not be on the stream, with `uncertain` if it may be on it anyway. Ignores bots.
 */
export async function recordUsage(ports: RecordPorts, request: AnsweredRequest): Promise<void> {
  try {
    if (isBot(request.userAgent)) return
    const startedAt = performance.now()
    const event = await eventOf(ports, request)
    await put(ports, event, Math.max(0, putMs - (performance.now() - startedAt)))
  } catch (error) {
    ports.log.error({ reason: reasonOf(error) }, 'usage event lost')
  }
}

async function eventOf(ports: RecordPorts, request: AnsweredRequest): Promise<UsageEvent> {
  const { library, version, surface, client, topics, country, question } = request
  const at = ports.now().toISOString()
  const asked: UsageEvent = { id: randomUUID(), at, library, version, surface, topics, question }
  if (question?.outcome === 'unanswered') return asked
  const event = { ...asked, country }
  if (surface !== 'mcp') return event
  return { ...event, client: client ?? 'unknown', user: await userOf(ports, request, at.slice(0, 10)) }
}

async function userOf({ salts, log }: RecordPorts, user: UserFacts, day: string): Promise<string | undefined> {
  try {
    const salt = await withTimeout('The salt', saltMs, () => salts.saltOf(day))
    return userKey({ ...user, salt })
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'usage event without a user')
    return undefined
  }
}

async function put({ stream, log }: RecordPorts, event: UsageEvent, ms: number): Promise<void> {
  try {
    await withTimeout('The usage stream', ms, (signal) => stream.put(event, signal))
  } catch (error) {
    log.error({ event, uncertain: !isRefused(error), reason: reasonOf(error) }, 'usage event not on the stream')
  }
}

/** Logs only the names of errors, because a message may repeat the data. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof TimeoutError) return 'timed out'
  const error = isRefused(thrown) && thrown instanceof Error ? (thrown.cause ?? thrown) : thrown
  return error instanceof Error ? error.name : 'unknown'
}

type UserFacts = {
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
