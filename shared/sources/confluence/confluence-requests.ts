import type { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { ConfluenceCredentials } from '../../schemas/confluence-site.ts'
import type { PoliteHosts } from '../website/polite-host.ts'

/** Requests to the API of one site. */
export type ConfluenceRequests = {
  site: string
  /** Throws not_configured, access_denied or not_found for a refusal, and what a download throws. */
  get<T>(path: string, schema: z.ZodType<T>): Promise<T>
}

const maxBytes = 20 * 2 ** 20
const timeMs = 60_000

export function confluenceRequests(
  hosts: Pick<PoliteHosts, 'get'>,
  site: string,
  credentials: ConfluenceCredentials | undefined,
  signal: AbortSignal,
): ConfluenceRequests {
  const { host } = new URL(site)
  const headers = { accept: 'application/json', ...(credentials && { authorization: authorizationOf(credentials) }) }
  return {
    site,
    async get(path, schema) {
      const url = `${site}${path}`
      const answer = await hosts.get(url, { headers, maxBytes, timeMs, staysAtOrigin: true, signal })
      if (answer.status !== 200) throw refused(host, answer, credentials)
      const read = schema.safeParse(parsed(answer.body))
      if (read.success) return read.data
      throw new AppError(
        'not_configured',
        `${host} did not respond like the API of Confluence, but with ${isPage(answer.body) ? 'a web page, such as its sign-in page' : 'something else'}. Check the address of the site and the token in the settings of Confluence.`,
      )
    },
  }
}

const authorizationOf = ({ user, token }: ConfluenceCredentials): string =>
  user === undefined ? `Bearer ${token}` : `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`

/** True for a refusal that concerns one page: it is restricted, or gone. */
export const isHidden = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'not_found' || error.code === 'access_denied')

function refused(
  host: string,
  { status, header }: { status: number; header(name: string): string | undefined },
  credentials: ConfluenceCredentials | undefined,
): AppError {
  if (status >= 300 && status <= 399) {
    const target = URL.parse(header('location') ?? '', `https://${host}`)?.host ?? 'another address'
    return new AppError(
      'not_configured',
      `${host} redirects to ${target}, perhaps to sign in. Save a token, or correct the address, in the settings of Confluence.`,
    )
  }
  if (status === 401)
    return new AppError(
      'not_configured',
      credentials
        ? `${host} rejected the token (401). Create a new one there, and save it in the settings of Confluence; Cloud also needs the e-mail address of its user.`
        : `${host} asks for a token (401). Save one in the settings of Confluence.`,
    )
  if (status === 403) return new AppError('access_denied', `${host} does not allow to read it (403).`)
  if (status === 404) return new AppError('not_found', `${host} does not have it, or does not show it (404).`)
  return new AppError('provider_unavailable', `${host} responded with status ${status}.`, {
    retry: status === 429 || status >= 500 ? 'limited' : 'never',
  })
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

const isPage = (body: Buffer): boolean => /^\s{0,99}<(?:!doctype|html)/i.test(body.toString('utf8', 0, 200))
