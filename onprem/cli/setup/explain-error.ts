import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { isInNoProxy } from '../../../shared/network/is-in-no-proxy.ts'
import { isLoopbackHost } from '../../../shared/network/private-address.ts'

export type Env = Record<string, string | undefined>

/** The reason why a request failed, and what to do, as the end of a sentence that begins with the address. */
export async function explainError(
  error: unknown,
  { url, timeoutMs, env }: { url: string; timeoutMs: number; env: Env },
): Promise<string> {
  const proxy = proxyFor(url, env)
  if (error instanceof Error && error.name === 'TimeoutError')
    return `did not respond within ${timeoutMs / 1000} seconds${adviceOn(proxy, url)}`
  const causes = causesOf(error)
  const code = causes.map(codeOf).find((each) => each !== undefined) ?? 'no connection'
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) return explainCertificate(code, causes, { url, env })
  if (
    /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/.test(code) ||
    causes.some(({ message }) => /wrong version number/.test(message))
  )
    return `does not speak TLS at this port; use http:// or the port for https`
  if (!proxy?.isUsed && /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE|HPE_)/.test(code) && (await isTlsPort(url))) return tlsAdvice
  if (causes.some(({ message }) => message === 'bad port'))
    return `cannot be reached (Node does not connect to port ${new URL(url).port})`
  return proxy?.isUsed
    ? `cannot be reached through the proxy of ${proxy.variable} (${code})${adviceOn(proxy, url)}`
    : `cannot be reached (${code})${adviceOn(proxy, url)}`
}

/** The same for a response with an error status. Undefined if the status is explanation enough. */
export async function explainStatus(status: number, { url, env }: { url: string; env: Env }): Promise<string | undefined> {
  const proxy = proxyFor(url, env)
  if (proxy?.isUsed) return `returned status ${status} through the proxy of ${proxy.variable}${adviceOn(proxy, url)}`
  // Many servers return this status if they expect TLS.
  return status === 400 && (await isTlsPort(url)) ? tlsAdvice : undefined
}

const tlsAdvice = 'speaks TLS at this port; use https://'

function causesOf(error: unknown): (Error & { cert?: { subjectaltname?: string } })[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : []
}

const codeOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' && error.code !== '' ? error.code : undefined

function explainCertificate(code: string, causes: ReturnType<typeof causesOf>, { url, env }: { url: string; env: Env }): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = causes.flatMap(({ cert }) => cert?.subjectaltname?.split(', ') ?? []).map((name) => name.replace(/^[^:]*:/, ''))
    const owned = names.length > 0 ? names.slice(0, 5).join(', ') : 'another name'
    return `has a certificate for ${owned}, but not for ${new URL(url).hostname}; use a name that is in the certificate`
  }
  if (code === 'CERT_HAS_EXPIRED')
    return `has a certificate that has expired (${code}); it must be renewed, unless the clock of this machine is wrong`
  if (code === 'CERT_NOT_YET_VALID') return `has a certificate that is not valid yet (${code}); check the clock of this machine`
  const advice = env.NODE_EXTRA_CA_CERTS
    ? 'the file of NODE_EXTRA_CA_CERTS does not have its authority, or an intermediate certificate is missing on the server'
    : 'set NODE_EXTRA_CA_CERTS to the file of its authority'
  return `has a certificate that Node does not trust (${code}); ${advice}`
}

/** True if the server of an http address expects TLS. Sends no request. */
function isTlsPort(url: string): Promise<boolean> {
  const { protocol, hostname, port } = new URL(url)
  if (protocol !== 'http:') return Promise.resolve(false)
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 80),
      rejectUnauthorized: false,
      timeout: 3_000,
      ...(isIP(host) === 0 && { servername: host }),
    })
    const end = (isTls: boolean) => {
      socket.destroy()
      resolve(isTls)
    }
    socket.once('secureConnect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}

/** The proxy variable for an address that is not on this machine or in NO_PROXY, and whether Node uses it. */
function proxyFor(url: string, env: Env): { variable: string; isUsed: boolean } | undefined {
  const { protocol, hostname } = new URL(url)
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const variable = [name.toLowerCase(), name].find((each) => env[each])
  if (variable === undefined || isInNoProxy(env.no_proxy || env.NO_PROXY || '', url)) return undefined
  const isUsed = isSupported() && (env.NODE_USE_ENV_PROXY === '1' || /--use-env-proxy/.test(env.NODE_OPTIONS ?? ''))
  return isUsed || !isLoopbackHost(hostname) ? { variable, isUsed } : undefined
}

const isSupported = (): boolean => process.allowedNodeEnvironmentFlags.has('--use-env-proxy')

function adviceOn(proxy: ReturnType<typeof proxyFor>, url: string): string {
  if (!proxy) return ''
  if (proxy.isUsed) return `; if it can be reached without a proxy, add ${new URL(url).hostname} to NO_PROXY`
  const how = isSupported()
    ? 'Node uses it only with NODE_USE_ENV_PROXY=1'
    : 'only Node 22.21 and 24 or later use it, with NODE_USE_ENV_PROXY=1'
  return `; ${proxy.variable} is set, but ${how}`
}
