import { AppError } from '../../errors.ts'
import { isDirect, proxiesOf, proxyRefusal } from '../../network/connections.ts'
import type { Network } from '../../network/network.ts'
import type { RepoAddress } from './repo-address.ts'

/** The proxy of git's connections. `setting` is a value of git's `http.proxy`. */
export type GitProxy = { url: URL; setting: string; secrets: string[] }

/** Returns undefined if there is no proxy, and for a host that is reached directly. */
export function gitProxy({ baseUrl }: Pick<RepoAddress, 'baseUrl'>, network: Pick<Network, 'env'>): GitProxy | undefined {
  const url = isDirect(network, baseUrl) ? null : URL.parse(proxiesOf(network).httpsProxy)
  if (url === null) return undefined
  const { protocol, username, password, host } = url
  // git asks for a password if the user has no colon.
  const user = username === '' ? '' : `${username}:${password}@`
  return {
    url,
    setting: `${protocol}//${user}${host}`,
    secrets: [password, decoded(password), user].filter((secret) => secret.length > 1),
  }
}

/** The error for a git that failed because of its proxy. Undefined if another host is the cause. */
export function proxyFailure(output: string, target: string, { url }: GitProxy, cause: unknown): AppError | undefined {
  const [, ...codes] = /CONNECT tunnel failed, response (\d+)|HTTP code (\d+) from proxy/.exec(output) ?? []
  const status = codes.find((code) => code !== undefined)
  if (status !== undefined) return proxyRefusal(url.host, target, status, cause)
  const isProxy = /Could not resolve proxy|Proxy CONNECT aborted|Unsupported proxy/.test(output)
  if (!isProxy && !output.includes(`Failed to connect to ${url.hostname} port ${portOf(url)}`)) return undefined
  return new AppError('provider_unavailable', `Proxy ${url.host} cannot be reached.`, { cause, retry: 'limited' })
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
