import { createSecureContext } from 'node:tls'
import type { Dispatcher, Pool } from 'undici'
import { AppError } from '../errors.ts'
import { isInNoProxy } from './is-in-no-proxy.ts'
import { lookupAllowed, lookupPublic } from './metadata-address.ts'
import { type Network, proxyVariables, trustedCertificates } from './network.ts'
import { isLoopbackHost } from './private-address.ts'

/** Connections to git hosts and providers, with the operator's proxy and certificates. */
export type Connections = {
  request: typeof import('undici').request
  /** Direct for a host on this machine. Any other is reached through the operator's proxy unless NO_PROXY lists it. */
  dispatcherFor(url: string): Dispatcher
  /** Ends the open requests, too. */
  close(): void
}

/** A proxy gets `maxMs` to connect, which is also the limit of the whole request. `publicOnly` refuses names of private addresses. */
export async function openConnections(
  network: Network,
  maxMs: number,
  { publicOnly = false }: { publicOnly?: boolean } = {},
): Promise<Connections> {
  const lookup = publicOnly ? lookupPublic : lookupAllowed
  const { Agent, EnvHttpProxyAgent, Pool, request } = await import('undici')
  // The context is created once: reading hundreds of certificates per connection would block other requests.
  const trusted = once(() => ({ secureContext: createSecureContext({ ca: trustedCertificates(network) }) }))
  const plain = once(() => new Agent({ connect: { lookup } }))
  const direct = once(() => new Agent({ connect: { ...trusted(), lookup } }))
  const proxied = once(
    () =>
      new EnvHttpProxyAgent({
        ...proxiesOf(network),
        noProxy: '',
        connect: { ...trusted(), lookup },
        requestTls: trusted(),
        proxyTls: trusted(),
        clientFactory: (proxy, options) => oneTry(new Pool(proxy, options), proxy.host, maxMs),
      }),
  )
  return {
    request,
    dispatcherFor(url) {
      const { protocol } = new URL(url)
      if (!isDirect(network, url)) return proxied()
      return protocol === 'https:' ? direct() : plain()
    },
    close() {
      for (const agent of [plain, direct, proxied]) void agent.made?.destroy()
    },
  }
}

/** Calls `make` at the first call that succeeds, and then returns its result. */
function once<T>(make: () => T) {
  const get: { (): T; made?: T } = () => {
    get.made ??= make()
    return get.made
  }
  return get
}

/** Empty strings keep the agent from reading the environment. */
export function proxiesOf(network: Pick<Network, 'env'>) {
  const variables = proxyVariables(network)
  const named = (name: string) => variables[name.toLowerCase()] ?? variables[name] ?? ''
  return {
    httpProxy: proxyUrl(named('HTTP_PROXY') || named('ALL_PROXY')),
    httpsProxy: proxyUrl(named('HTTPS_PROXY') || named('ALL_PROXY') || named('HTTP_PROXY')),
    noProxy: named('NO_PROXY'),
  }
}

/** True if an address is reached without a proxy: it is on this machine, or NO_PROXY lists its host or a domain of it, perhaps with a port. */
export const isDirect = (network: Pick<Network, 'env'>, url: string): boolean =>
  isLoopbackHost(new URL(url).hostname) || isInNoProxy(proxiesOf(network).noProxy, url)

/** The error for a failed connection to `host`, which `name` presents. Transient, except for an untrusted certificate. */
export function connectionError(host: string, cause: unknown, name = host): AppError {
  // Errors of proxies pass through undici.
  if (cause instanceof AppError) return cause
  const code = codeOf(cause)
  if (/CERT|SIGNATURE/.test(code)) return certificateError(host, cause)
  const why = code === '' ? '' : ` (${code})`
  return new AppError('provider_unavailable', `${name} cannot be reached${why}.`, { cause, retry: 'limited' })
}

export function certificateError(host: string, cause: unknown): AppError {
  const advice = `If it was issued by a private authority, set NODE_EXTRA_CA_CERTS to that authority's PEM file.`
  return new AppError('provider_unavailable', `The certificate of ${host} is not trusted. ${advice}`, { cause })
}

/**
 * Connects through a proxy once, within the time limit, and names the proxy in errors. Without this, undici reconnects endlessly if a proxy
 * closes the connection, and waits for minutes if it does not respond.
 */
function oneTry(pool: Pool, proxy: string, maxMs: number): Pool {
  const connect = pool.connect.bind(pool)
  const once = async (options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const answer = await connect({ ...options, signal: AbortSignal.timeout(maxMs) }).catch((error: unknown) =>
      Promise.reject(connectionError(proxy, error, `Proxy ${proxy}`)),
    )
    if (answer.statusCode === 200) return answer
    answer.socket.on('error', () => undefined).destroy()
    throw proxyRefusal(proxy, options.path, answer.statusCode)
  }
  return Object.assign(pool, { connect: once })
}

/** The error for a proxy that responds to CONNECT with an error status, without the user and password of its address. */
export function proxyRefusal(proxy: string, target: string, status: number | string, cause?: unknown): AppError {
  const sentence = `Proxy ${proxy} refused the connection to ${target} (${status}).`
  return new AppError('provider_unavailable', sentence, { cause, retry: 'limited' })
}

/** git accepts a proxy without a scheme, too. */
function proxyUrl(proxy: string): string {
  const url = proxy === '' || proxy.includes('://') ? proxy : `http://${proxy}`
  if (url === '' || URL.canParse(url)) return url
  const sentence = 'HTTPS_PROXY, HTTP_PROXY or ALL_PROXY must be the address of a proxy, such as http://proxy.example:3128.'
  throw new AppError('not_configured', sentence, { retry: 'limited' })
}

export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return codeOf(error.cause)
}
