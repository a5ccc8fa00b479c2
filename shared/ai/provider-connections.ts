import { createSecureContext } from 'node:tls'
import type { Dispatcher, Pool } from 'undici'
import { AppError } from '../errors.ts'
import { lookupAllowed } from '../network/metadata-address.ts'
import { type Network, proxyVariables, trustedCertificates } from '../network/network.ts'

/** How requests leave this machine: straight, or through the operator's proxy where NO_PROXY does not except a host. */
export type ProviderConnections = { request: typeof import('undici').request; direct: Dispatcher; proxied: Dispatcher }

/** A proxy has so long for what `maxMs` is for altogether. */
export async function openProviderConnections(network: Network, maxMs: number): Promise<ProviderConnections> {
  const { Agent, EnvHttpProxyAgent, Pool, request } = await import('undici')
  const variables = proxyVariables(network)
  const named = (name: string) => variables[name.toLowerCase()] ?? variables[name] ?? ''
  // Made once: to read some hundred certificates for each connection would hold up everything else.
  const trusted = { secureContext: createSecureContext({ ca: trustedCertificates(network) }) }
  const proxies = {
    // An empty text keeps the agent from looking into the environment by itself.
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

/** What went wrong on the way to `host`, as a failure that may pass but for its certificate. */
export function connectionError(host: string, cause: unknown): AppError {
  const code = codeOf(cause)
  if (/CERT|SIGNATURE/.test(code)) {
    const advice = `If it comes from a private authority, name that authority's PEM file in NODE_EXTRA_CA_CERTS.`
    return new AppError('internal_error', `The certificate of ${host} is not trusted. ${advice}`, { cause, shown: true })
  }
  const why = code === '' ? '' : ` (${code})`
  return new AppError('internal_error', `${host} cannot be reached${why}.`, { cause, shown: true, transient: true })
}

/**
 * A way through a proxy that is tried once, in time, and says whose fault it was: where a proxy hangs up without an answer undici would connect
 * again without a pause or an end, and where it says nothing wait for minutes.
 */
function oneTry(pool: Pool, proxy: string, maxMs: number): Pool {
  const connect = pool.connect.bind(pool)
  const once = async (asked: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const answer = await connect({ ...asked, signal: AbortSignal.timeout(maxMs) }).catch((error: unknown) =>
      Promise.reject(connectionError(`Proxy ${proxy}`, error)),
    )
    if (answer.statusCode === 200) return answer
    answer.socket.on('error', () => undefined).destroy()
    const refused = `Proxy ${proxy} opens no way to ${asked.path} (${answer.statusCode}).`
    throw new AppError('internal_error', refused, { shown: true, transient: true })
  }
  return Object.assign(pool, { connect: once })
}

/** git takes a proxy without a scheme, too. */
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
