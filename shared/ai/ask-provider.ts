import { createSecureContext } from 'node:tls'
import type { Dispatcher } from 'undici'
import { isLoopbackHost } from '../base-url.ts'
import { AppError } from '../errors.ts'
import { type Network, proxyVariables, trustedCertificates } from '../network.ts'

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
const mostAnswerBytes = 64 * 2 ** 20

/** The one way to every provider: through the operator's proxy, with the operator's certificates, and without following a redirect. */
export function askingProviders(network: Network, mostMs = attemptMs): AskProvider {
  let ways: Promise<Ways> | undefined
  return async ({ url, method, headers, body, signal }) => {
    const { host, hostname } = new URL(url)
    const late = AbortSignal.timeout(mostMs)
    const ended = signal === undefined ? late : AbortSignal.any([signal, late])
    try {
      ways ??= openWays(network)
      const { request, direct, proxied } = await ways.catch((error: unknown) => {
        ways = undefined
        throw error
      })
      const dispatcher = isLoopbackHost(hostname) ? direct : proxied
      const sent = { ...headers, 'user-agent': 'carrel' }
      const answer = await request(url, { method, headers: sent, body: body ?? null, signal: ended, dispatcher })
      return { status: answer.statusCode, headers: flat(answer.headers), body: await readBody(host, answer.body) }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof AppError) throw error
      throw late.aborted ? silent(host, mostMs) : wayError(host, error)
    }
  }
}

type Ways = { request: typeof import('undici').request; direct: Dispatcher; proxied: Dispatcher }

async function openWays(network: Network): Promise<Ways> {
  const { Agent, EnvHttpProxyAgent, request } = await import('undici')
  const variables = proxyVariables(network)
  const named = (name: string) => variables[name.toLowerCase()] ?? variables[name] ?? ''
  // Made once: to read some hundred certificates for each connection would hold up everything else.
  const trusted = { secureContext: createSecureContext({ ca: trustedCertificates(network) }) }
  const proxied = new EnvHttpProxyAgent({
    // An empty text keeps the agent from looking into the environment by itself.
    httpProxy: withScheme(named('HTTP_PROXY') || named('ALL_PROXY')),
    httpsProxy: withScheme(named('HTTPS_PROXY') || named('ALL_PROXY')),
    noProxy: named('NO_PROXY'),
    connect: trusted,
    requestTls: trusted,
    proxyTls: trusted,
  })
  return { request, direct: new Agent({ connect: trusted }), proxied }
}

/** git takes a proxy without one, too. */
const withScheme = (proxy: string): string => (proxy === '' || proxy.includes('://') ? proxy : `http://${proxy}`)

async function readBody(host: string, body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > mostAnswerBytes) throw new AppError('internal_error', `${host} answered with more than 64 MB.`, { shown: true })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const flat = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])))

const silent = (host: string, mostMs: number): AppError =>
  new AppError('timeout', `${host} did not answer within ${Math.ceil(mostMs / 1000)} s.`, { transient: true })

function wayError(host: string, cause: unknown): AppError {
  const code = codeOf(cause)
  if (/CERT|SIGNATURE/.test(code)) {
    const advice = `If it comes from a private authority, name that authority's PEM file in NODE_EXTRA_CA_CERTS.`
    return new AppError('internal_error', `The certificate of ${host} is not trusted. ${advice}`, { cause, shown: true })
  }
  const why = code === '' ? '' : ` (${code})`
  return new AppError('internal_error', `${host} cannot be reached${why}.`, { cause, shown: true, transient: true })
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return codeOf(error.cause)
}
