import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { openConnections } from '../../network/connections.ts'
import type { Network } from '../../network/network.ts'
import { type GitHost, tokenSetting } from '../../schemas/git-host.ts'
import { type GitResponse, gitRequest } from './git-request.ts'
import { hostSays, hostWords } from './host-words.ts'
import type { RepoAddress } from './repo-address.ts'
import { apiUrl } from './token-owner.ts'

/** A GitHub App, which reads repositories with tokens of its installations. `privateKey` is in PEM. */
export type GithubApp = { id: string; privateKey: string }
type Options = Network & { timeMs: number; signal: AbortSignal }
type AppHost = Pick<GitHost, 'name' | 'baseUrl' | 'ca'>

/** `GET /repos/{owner}/{repo}/installation`, from docs.github.com/rest/apps/apps, November 2026. */
const Installation = z.object({ id: z.int().positive() })
/** `POST /app/installations/{installation_id}/access_tokens`, from docs.github.com/rest/apps/apps, November 2026. */
const InstallationToken = z.object({
  token: z.string().regex(/^[\x21-\x7e]{1,1000}$/),
  expires_at: z.iso.datetime({ offset: true }),
})
/** `GET /app`, from docs.github.com/rest/apps/apps, November 2026. */
const AppAnswer = z.object({ name: z.string() })

export type GithubAppTokens = {
  /** A token that may read one repository, for some more minutes. Throws access_denied, not_configured, provider_unavailable, timeout. */
  tokenFor(address: RepoAddress, app: GithubApp, options: Options): Promise<string>
}

/** A token that ends earlier is replaced, so that it lasts for the longest fetch of a repository. */
const minLeftMs = 30 * 60_000
const maxTokens = 1_000
/** GitHub accepts ten minutes at most, and a clock that is a minute fast. */
const [backSeconds, validSeconds] = [60, 480]

/** Keeps tokens until half an hour before they end. */
export function githubAppTokens(now: () => Date): GithubAppTokens {
  const tokens = new Map<string, { token: string; endsAt: number }>()
  return {
    async tokenFor(address, app, options) {
      const key = JSON.stringify([address.webUrl.toLowerCase(), app.id, app.privateKey])
      const kept = tokens.get(key)
      if (kept && kept.endsAt - now().getTime() > minLeftMs) return kept.token
      const { token, expires_at } = await requestToken(address, app, options, now)
      tokens.delete(key)
      if (tokens.size >= maxTokens) tokens.delete(tokens.keys().next().value ?? '')
      tokens.set(key, { token, endsAt: Date.parse(expires_at) })
      return token
    },
  }
}

async function requestToken(address: RepoAddress, app: GithubApp, options: Options, now: () => Date) {
  const host = { name: address.host.name, baseUrl: address.baseUrl, ca: address.host.ca }
  return withApi(host, app, options, now, async (ask) => {
    const { owner, repo } = address.id
    const found = await ask(`/repos/${owner}/${repo}/installation`)
    if (found.status === 404)
      throw new AppError(
        'access_denied',
        `The GitHub App ${app.id} is not installed on ${address.webUrl}, or it does not exist. Install the app for this repository.`,
      )
    const { id } = read(Installation, host, found)
    const permissions = { contents: 'read', metadata: 'read' }
    const made = await ask(`/app/installations/${id}/access_tokens`, { repositories: [repo], permissions })
    if (made.status === 403 || made.status === 422)
      throw new AppError(
        'access_denied',
        `The GitHub App ${app.id} may not read ${address.webUrl}: it needs the permission Contents (read).${saidIn(made)}`,
      )
    return read(InstallationToken, host, made)
  })
}

/** The name of an app, which proves its id and key. Throws not_configured, provider_unavailable, timeout. */
export const githubAppName = (host: AppHost, app: GithubApp, options: Options, now: () => Date): Promise<string> =>
  withApi(host, app, options, now, async (ask) => hostWords(read(AppAnswer, host, await ask('/app')).name, []))

type Ask = (path: string, body?: object) => Promise<GitResponse>

async function withApi<T>(
  host: AppHost,
  app: GithubApp,
  options: Options,
  now: () => Date,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  const proof = await signed(host, app, now())
  const connections = await openConnections({ ...options, ca: host.ca }, options.timeMs)
  const tooSlow = AbortSignal.timeout(options.timeMs)
  const signal = AbortSignal.any([options.signal, tooSlow])
  const api = apiUrl({ platform: 'github', baseUrl: host.baseUrl })
  const headers = { accept: 'application/vnd.github+json', authorization: `Bearer ${proof}`, 'content-type': 'application/json' }
  try {
    return await work(async (path, body) => {
      const answer = await gitRequest(`${api}${path}`, {
        connections,
        headers,
        signal,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (answer.status === 401) throw refused(host, app, answer, now())
      return answer
    })
  } catch (error) {
    if (!tooSlow.aborted || options.signal.aborted) throw error
    const message = `The host ${new URL(host.baseUrl).host} did not respond within ${options.timeMs / 1000} s.`
    throw new AppError('timeout', message, { retry: 'limited', cause: error })
  } finally {
    connections.close()
  }
}

async function signed({ name }: AppHost, { id, privateKey }: GithubApp, at: Date): Promise<string> {
  const { SignJWT } = await import('jose')
  const seconds = Math.floor(at.getTime() / 1000)
  try {
    return await new SignJWT()
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(id)
      .setIssuedAt(seconds - backSeconds)
      .setExpirationTime(seconds + validSeconds)
      .sign(createPrivateKey(privateKey))
  } catch (cause) {
    const message = `The secret ${tokenSetting(name)} is not the RSA key of a GitHub App. Save the .pem file that GitHub made for the app.`
    throw new AppError('not_configured', message, { cause })
  }
}

function refused({ name, baseUrl }: AppHost, { id }: GithubApp, answer: GitResponse, at: Date): AppError {
  const { host } = new URL(baseUrl)
  const said = saidIn(answer)
  if (/\b(?:exp|iat)\b|expir|issued at/i.test(said))
    return new AppError(
      'not_configured',
      `${host} does not accept the time of this server, which is ${at.toISOString()}. Set its clock.${said}`,
    )
  const ids = name === 'github' ? 'github.appId' : `appId of ${name} in git.hosts`
  return new AppError(
    'not_configured',
    `${host} rejected the key of the GitHub App ${id} (401). Check that ${ids} and ${tokenSetting(name)} belong to the same app.${said}`,
  )
}

function saidIn({ body }: GitResponse): string {
  const { data } = z.object({ message: z.string() }).safeParse(parsed(body))
  return hostSays(data ? hostWords(data.message, []) : '')
}

function read<T>(schema: z.ZodType<T>, { baseUrl }: AppHost, answer: GitResponse): T {
  const { data } = schema.safeParse(parsed(answer.body))
  if (answer.status < 300 && data !== undefined) return data
  throw new AppError(
    'provider_unavailable',
    `The API of ${new URL(baseUrl).host} responded with status ${answer.status} about a GitHub App.${saidIn(answer)}`,
    { retry: answer.status >= 500 ? 'limited' : 'never' },
  )
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
