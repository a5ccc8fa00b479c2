import { AppError } from '../../errors.ts'
import { proxiesOf, proxyRefusal } from '../../network/connections.ts'
import { type GitAccess, proxyEnv } from './git-access.ts'
import type { RepoAddress } from './repo-address.ts'

/** The proxy of git's connections, for its errors. */
export type GitProxy = { url: URL; secrets: string[] }

/** Undefined without a proxy, and for a host on this machine. */
export function gitProxy(address: RepoAddress, access: GitAccess): GitProxy | undefined {
  const url = URL.parse(proxiesOf({ env: proxyEnv(address, access) }).httpsProxy)
  if (url === null) return undefined
  const { password, username } = url
  return { url, secrets: [password, decoded(password), `${username}:${password}@`].filter((secret) => secret.length > 1) }
}

/** The error for a git that failed because of its proxy. Undefined if another host is the cause. */
export function proxyFailure(output: string, target: string, { url }: GitProxy, cause: unknown): AppError | undefined {
  const [, ...codes] = /CONNECT tunnel failed, response (\d+)|HTTP code (\d+) from proxy/.exec(output) ?? []
  const status = codes.find((code) => code !== undefined)
  if (status !== undefined) return proxyRefusal(url.host, target, status, cause)
  const isProxy = /Could not resolve proxy|Proxy CONNECT aborted|Unsupported proxy/.test(output)
  if (!isProxy && !output.includes(`Failed to connect to ${url.hostname} port ${portOf(url)}`)) return undefined
  return new AppError('internal_error', `Proxy ${url.host} cannot be reached.`, { cause, shown: true, transient: true })
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
