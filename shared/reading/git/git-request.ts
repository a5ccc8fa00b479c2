import http from 'node:http'
import https from 'node:https'
import { AppError } from '../../errors.ts'
import { trustedCertificates } from '../../network/network.ts'
import { type GitAccess, proxyEnv } from './git-access.ts'
import type { RepoAddress } from './repo-address.ts'

export type GitResponse = {
  status: number
  contentType: string
  location: string | undefined
  retryAfter: string | undefined
  body: Buffer
}

const maxBodyBytes = 16 * 2 ** 20

/** An agent with the operator's proxy and certificates. A proxy has `timeMs` to open a connection. Destroy the agent after use. */
export function openAgent(address: RepoAddress, access: GitAccess & { timeMs: number }): http.Agent {
  const options = { keepAlive: true, timeout: access.timeMs, proxyEnv: proxyEnv(address, access) }
  return address.baseUrl.startsWith('https:')
    ? new https.Agent({ ...options, ca: trustedCertificates(access) })
    : new http.Agent(options)
}

/** One request to a git host. Returns redirects without following them. Connection failures are AppErrors that name the host. */
export async function gitRequest(
  url: string,
  options: { agent: http.Agent; headers: Record<string, string>; body?: string; signal: AbortSignal },
): Promise<GitResponse> {
  const { agent, headers, body, signal } = options
  try {
    return await new Promise<GitResponse>((resolve, reject) => {
      const { request } = url.startsWith('https:') ? https : http
      const method = body === undefined ? 'GET' : 'POST'
      const sent = request(
        url,
        { method, agent, headers: { 'user-agent': 'git/2.40 (carrel)', ...headers }, signal },
        (answer) => {
          readBody(answer).then(
            (content) =>
              resolve({
                status: answer.statusCode ?? 0,
                contentType: answer.headers['content-type'] ?? '',
                location: answer.headers.location,
                retryAfter: answer.headers['retry-after'],
                body: content,
              }),
            reject,
          )
        },
      )
      sent.on('error', reject)
      // Node observes the signal only after connecting, and a proxy may never connect.
      const stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop, { once: true })
      sent.on('close', () => signal.removeEventListener('abort', stop))
      sent.end(body)
    })
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof AppError ? error : hostError(new URL(url).host, error)
  }
}

async function readBody(answer: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBodyBytes)
      throw new AppError('library_too_large', 'The repository lists more branches and tags than can be read (16 MB).')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function hostError(host: string, cause: unknown): AppError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return /CERT|SIGNATURE/.test(code)
    ? tlsError(host, cause)
    : new AppError('internal_error', `The host ${host} cannot be reached${code === '' ? '' : ` (${code})`}.`, {
        cause,
        transient: true,
      })
}

export const tlsError = (host: string, cause?: unknown): AppError =>
  new AppError(
    'internal_error',
    `The certificate of ${host} is not trusted. If it comes from a private authority, name that authority's PEM file in NODE_EXTRA_CA_CERTS.`,
    { cause },
  )
