import { AppError } from '../errors.ts'
import { type Connections, connectionError, openConnections } from '../network/connections.ts'
import type { Network } from '../network/network.ts'
import { unlessAborted } from '../time/unless-aborted.ts'

export type ProviderRequest = {
  url: string
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
  signal: AbortSignal | undefined
}
export type ProviderAnswer = { status: number; headers: Record<string, string>; body: Buffer }

/** Makes one attempt and returns any response. Throws an AppError that names the host if the request fails. */
export type AskProvider = (request: ProviderRequest) => Promise<ProviderAnswer>

const attemptMs = 60_000
const maxAnswerBytes = 64 * 2 ** 20
/** The limit for error responses, which are searched for a message and for secrets. */
const maxRefusalBytes = 64 * 2 ** 10

/** The only client for providers. Uses the operator's proxy and certificates, and follows no redirects. */
export function providerClient(network: Network, maxMs = attemptMs): AskProvider {
  let connections: Promise<Connections> | undefined
  return async ({ url, method, headers, body, signal }) => {
    const { host } = new URL(url)
    const late = AbortSignal.timeout(maxMs)
    const ended = signal === undefined ? late : AbortSignal.any([signal, late])
    try {
      connections ??= openConnections(network, maxMs)
      const { request, dispatcherFor } = await connections.catch((error: unknown) => {
        connections = undefined
        throw error
      })
      const sent = { ...headers, 'user-agent': 'carrel' }
      const sending = request(url, { method, headers: sent, body: body ?? null, signal: ended, dispatcher: dispatcherFor(url) })
      // undici ignores the signal until it is connected.
      const answer = await unlessAborted(sending, ended)
      const read = answer.statusCode < 300 ? readAnswer(host, answer.body) : readRefusal(answer.body)
      return { status: answer.statusCode, headers: flat(answer.headers), body: await read }
    } catch (error) {
      signal?.throwIfAborted()
      if (late.aborted) throw noResponse(host, maxMs)
      throw connectionError(host, error)
    }
  }
}

async function readAnswer(host: string, body: AsyncIterable<Buffer>): Promise<Buffer> {
  const { bytes, isWhole } = await readUpTo(maxAnswerBytes, body)
  if (!isWhole) throw new AppError('provider_unavailable', `${host} returned more than 64 MB.`)
  return bytes
}

const readRefusal = async (body: AsyncIterable<Buffer>): Promise<Buffer> => (await readUpTo(maxRefusalBytes, body)).bytes

async function readUpTo(maxBytes: number, body: AsyncIterable<Buffer>): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = []
  let read = 0
  for await (const chunk of body) {
    read += chunk.length
    chunks.push(chunk)
    if (read > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: false }
  }
  return { bytes: Buffer.concat(chunks), isWhole: true }
}

const flat = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])))

const noResponse = (host: string, maxMs: number): AppError =>
  new AppError('timeout', `${host} did not respond within ${Math.ceil(maxMs / 1000)} s.`, { retry: 'limited' })
