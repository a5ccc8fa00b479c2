import { createSecureContext } from 'node:tls'
import type { Dispatcher, Pool } from 'undici'
import { AppError } from '../errors.ts'
import { lookupAllowed } from '../network/metadata-address.ts'
import { type Network, proxyVariables, trustedCertificates } from '../network/network.ts'

/** Connections to providers: direct, or through the operator's proxy unless NO_PROXY lists the host. */
export type ProviderConnections = { request: typeof import('undici').request; direct: Dispatcher; proxied: Dispatcher }

/** A proxy gets `maxMs` to connect, which is also the limit of the whole request. */
export async function openProviderConnections(network: Network, maxMs: number): Promise<ProviderConnections> {
  const { Agent, EnvHttpProxyAgent, Pool, request } = await import('undici')
  const variables = proxyVariables(network)
  const named = (name: string) => variables[name.toLowerCase()] ?? variables[name] ?? ''
  // Created once: reading hundreds of certificates per connection would block other requests.
  const trusted = { secureContext: createSecureContext({ ca: trustedCertificates(network) }) }
  const proxies = {
    // An empty string keeps the agent from reading the environment.
    httpProxy: proxyUrl(named('HTTP_PROXY') || named('ALL_PROXY')),
    httpsProxy: proxyUrl(named('HTTPS_PROXY') || named('ALL_PROXY')),
    noProxy: named('NO_PROXY'),
  }
  const proxied = new EnvHttpProxyAgent({
    ...proxies,
    connect: { ...trusted, lookup: lookupAllowed },
    requestTls: trusted,
    proxyTls: trusted,
    clientFactory: (proxy, options) => oneTry(new Pool(proxy, options), proxy.host, maxMs),
  })
  return { request, direct: new Agent({ connect: { ...trusted, lookup: lookupAllowed } }), proxied }
}

/** The error for a failed connection to `host`. Transient, except for an untrusted certificate. */
export function connectionError(host: string, cause: unknown): AppError {
  const code = codeOf(cause)
  if (/CERT|SIGNATURE/.test(code)) {
    const advice = `If it was issued by a private authority, set NODE_EXTRA_CA_CERTS to that authority's PEM file.`
    return new AppError('internal_error', `The certificate of ${host} is not trusted. ${advice}`, { cause, shown: true })
  }
  const why = code === '' ? '' : ` (${code})`
  return new AppError('internal_error', `${host} cannot be reached${why}.`, { cause, shown: true, transient: true })
}

/**
 * Connects through a proxy once, within the time limit, and names the proxy in errors. Without this, undici reconnects endlessly if a proxy
 * closes the connection, and waits for minutes if it does not respond.
 */
function oneTry(pool: Pool, proxy: string, maxMs: number): Pool {
  const connect = pool.connect.bind(pool)
  const once = async (options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const answer = await connect({ ...options, signal: AbortSignal.timeout(maxMs) }).catch((error: unknown) =>
      Promise.reject(connectionError(`Proxy ${proxy}`, error)),
    )
    if (answer.statusCode === 200) return answer
    answer.socket.on('error', () => undefined).destroy()
    const refused = `Proxy ${proxy} refused the connection to ${options.path} (${answer.statusCode}).`
    throw new AppError('internal_error', refused, { shown: true, transient: true })
  }
  return Object.assign(pool, { connect: once })
}

/** git accepts a proxy without a scheme, too. */
function proxyUrl(proxy: string): string {
  const url = proxy === '' || proxy.includes('://') ? proxy : `http://${proxy}`
  if (url === '' || URL.canParse(url)) return url
  const sentence = 'HTTPS_PROXY, HTTP_PROXY or ALL_PROXY must be the address of a proxy, such as http://proxy.example:3128.'
  throw new AppError('internal_error', sentence, { shown: true, transient: true })
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return codeOf(error.cause)
}
