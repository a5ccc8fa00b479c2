import { AppError } from '../errors.ts'
import type { Network } from '../network/network.ts'
import { isLoopbackHost } from '../schemas/base-url.ts'
import { unlessAborted } from '../time/unless-aborted.ts'
import { connectionError, openProviderConnections, type ProviderConnections } from './provider-connections.ts'

export type ProviderRequest = {
  url: string
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
  signal: AbortSignal | undefined
}
export type ProviderAnswer = { status: number; headers: Record<string, string>; body: Buffer }

/** One attempt. Answers whatever the provider says; what goes wrong on the way is an AppError that names its host. */
export type AskProvider = (request: ProviderRequest) => Promise<ProviderAnswer>

const attemptMs = 60_000
const maxAnswerBytes = 64 * 2 ** 20
/** Of what is no answer but says why: it is searched for its sentence and for secrets. */
const maxRefusalBytes = 64 * 2 ** 10

/** The one way to every provider: through the operator's proxy, with the operator's certificates, and without following a redirect. */
export function providerClient(network: Network, maxMs = attemptMs): AskProvider {
  let ways: Promise<ProviderConnections> | undefined
  return async ({ url, method, headers, body, signal }) => {
    const { host, hostname } = new URL(url)
    const late = AbortSignal.timeout(maxMs)
    const ended = signal === undefined ? late : AbortSignal.any([signal, late])
    try {
      ways ??= openProviderConnections(network, maxMs)
      const { request, direct, proxied } = await ways.catch((error: unknown) => {
        ways = undefined
        throw error
      })
      const dispatcher = isLoopbackHost(hostname) ? direct : proxied
      const sent = { ...headers, 'user-agent': 'carrel' }
      const asked = request(url, { method, headers: sent, body: body ?? null, signal: ended, dispatcher })
      // undici heeds a signal only once it is connected.
      const answer = await unlessAborted(asked, ended)
      const read = answer.statusCode < 300 ? readAnswer(host, answer.body) : readRefusal(answer.body)
      return { status: answer.statusCode, headers: flat(answer.headers), body: await read }
    } catch (error) {
      signal?.throwIfAborted()
      if (late.aborted) throw noResponse(host, maxMs)
      throw error instanceof AppError ? error : connectionError(host, error)
    }
  }
}

async function readAnswer(host: string, body: AsyncIterable<Buffer>): Promise<Buffer> {
  const { bytes, isWhole } = await readUpTo(maxAnswerBytes, body)
  if (!isWhole) throw new AppError('internal_error', `${host} answered with more than 64 MB.`, { shown: true })
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
  new AppError('timeout', `${host} did not answer within ${Math.ceil(maxMs / 1000)} s.`, { transient: true })
