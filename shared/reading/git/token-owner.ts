import { AppError } from '../../errors.ts'
import { openConnections } from '../../network/connections.ts'
import type { Network } from '../../network/network.ts'
import { type GitHost, tokenSetting } from '../../schemas/git-host.ts'
import { type GitResponse, gitRequest } from './git-request.ts'
import { hostWords } from './host-words.ts'
import { platformPaths } from './platform-paths.ts'

type TokenOptions = Network & { timeMs: number; signal: AbortSignal }
type Host = GitHost & { kind: 'github' | 'gitlab' | 'gitea' }

const userNames = { github: 'login', gitlab: 'username', gitea: 'login' } as const

/** True for a host whose API tells whose token one is, at an address that needs no further host in the settings. */
export const hasTokenOwner = (host: GitHost): host is Host => host.kind in userNames

/**
 * Asks a git host whose token this is. Null if the host accepts a token that may not read its own user, and without a token if the host
 * responds like one of its platform. Throws if the host rejects the token.
 */
export async function tokenOwner(host: Host, token: string | undefined, options: TokenOptions): Promise<string | null> {
  const connections = await openConnections({ ...options, ca: host.ca }, options.timeMs)
  const tooSlow = AbortSignal.timeout(options.timeMs)
  const headers = { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const signal = AbortSignal.any([options.signal, tooSlow])
  try {
    return ownerIn(
      host,
      token,
      await gitRequest(`${apiUrl({ platform: host.kind, baseUrl: host.baseUrl })}/user`, { connections, headers, signal }),
    )
  } catch (error) {
    if (error instanceof AppError && error.code === 'library_too_large') throw notTheApi(host, 'it sent more than 16 MB', error)
    if (!tooSlow.aborted || options.signal.aborted) throw error
    const message = `The host ${new URL(host.baseUrl).host} did not respond within ${options.timeMs / 1000} s.`
    throw new AppError('timeout', message, { retry: 'limited', cause: error })
  } finally {
    connections.close()
  }
}

/** The API of github.com and of tenants on ghe.com has a separate host; a GitHub or GitLab server has it below its address. */
export function apiUrl({ platform, baseUrl }: { platform: Host['kind']; baseUrl: string }): string {
  if (platform === 'gitlab') return `${baseUrl}/api/v4`
  if (platform === 'gitea') return `${baseUrl}/api/v1`
  const { protocol, host, hostname } = new URL(baseUrl)
  return hostname === 'github.com' || hostname.endsWith('.ghe.com') ? `${protocol}//api.${host}` : `${baseUrl}/api/v3`
}

const notTheApi = ({ name, kind, baseUrl }: Host, why: string, cause?: unknown): AppError =>
  new AppError(
    'not_configured',
    `${new URL(baseUrl).host} did not respond like a ${platformPaths[kind].label} server (${why}). Check ${name === 'github' || name === 'gitlab' ? `${name}.baseUrl` : `${name} in git.hosts`}.`,
    { cause },
  )

function ownerIn(of: Host, token: string | undefined, { status, body }: GitResponse): string | null {
  const { name: hostName, kind, baseUrl } = of
  const { host } = new URL(baseUrl)
  const answer = read(body)
  const name = answer?.[userNames[kind]]
  const secrets = token === undefined ? [] : [token]
  // The API of both platforms asks those without a token who they are, in JSON. A web page of something else does not.
  if (token === undefined && (status === 401 || status === 403) && answer !== undefined) return null
  if (status === 200 && typeof name === 'string') return hostWords(name, secrets)
  // A token that may only read repositories, or that of an app.
  if (status === 403 && /insufficient_scope|not accessible by/i.test(body.toString('utf8', 0, 10_000))) return null
  if (status === 401) {
    const advice = `Create a new one there, and save it as ${tokenSetting(hostName)}.`
    throw new AppError('not_configured', `${host} rejected the token (401). ${advice}`)
  }
  if (status === 200 || status === 404 || (status >= 300 && status <= 399)) throw notTheApi(of, `${status}`)
  const said = answer?.message ?? answer?.error
  const quoted = typeof said === 'string' ? `: ${hostWords(said, secrets)}` : ''
  throw new AppError('provider_unavailable', `${host} responded with status ${status}${quoted}.`)
}

function read(body: Buffer): Record<string, unknown> | undefined {
  try {
    const answer: unknown = JSON.parse(body.toString())
    return typeof answer === 'object' && answer !== null ? { ...answer } : undefined
  } catch {
    return undefined
  }
}
