import { AppError } from '../../errors.ts'
import { type Connections, codeOf, connectionError } from '../../network/connections.ts'
import { unlessAborted } from '../../time/unless-aborted.ts'

export type GitResponse = {
  status: number
  contentType: string
  location: string | undefined
  retryAfter: string | undefined
  body: Buffer
}

type BodyLimit = { bytes: number; error(): AppError }

const refsLimit: BodyLimit = {
  bytes: 16 * 2 ** 20,
  error: () => new AppError('library_too_large', 'The repository lists more branches and tags than can be read (16 MB).'),
}

/**
 * One request to a git host. Returns redirects without following them. Connection failures are AppErrors that name the host or the proxy.
 * `limit` is that of a list of refs by default.
 */
export async function gitRequest(
  url: string,
  options: { connections: Connections; headers: Record<string, string>; body?: string; signal: AbortSignal; limit?: BodyLimit },
): Promise<GitResponse> {
  const { connections, headers, body, signal, limit = refsLimit } = options
  try {
    const sending = connections.request(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'user-agent': 'git/2.40 (carrel)', ...headers },
      body: body ?? null,
      signal,
      dispatcher: connections.dispatcherFor(url),
    })
    // undici ignores the signal until it is connected, and a proxy may never connect.
    const answer = await unlessAborted(sending, signal)
    const header = (name: string) => answer.headers[name]?.toString()
    return {
      status: answer.statusCode,
      contentType: header('content-type') ?? '',
      location: header('location'),
      retryAfter: header('retry-after'),
      body: await readBody(answer.body, limit),
    }
  } catch (error) {
    signal.throwIfAborted()
    const { host, hostname } = new URL(url)
    // A resolver has repeated its request, too.
    if (/^(?:ENOTFOUND|EAI_AGAIN)$/.test(codeOf(error)) && !(error instanceof AppError)) throw unknownHost(hostname, error)
    throw connectionError(host, error, `The host ${host}`)
  }
}

const unknownHost = (hostname: string, cause: unknown): AppError =>
  new AppError(
    'provider_unavailable',
    `The name ${hostname} cannot be resolved (${codeOf(cause)}). Without internet access, set HTTPS_PROXY to a proxy, or the setting github.baseUrl or gitlab.baseUrl to a git host of your network.`,
    { cause, retry: 'once' },
  )

async function readBody(body: AsyncIterable<Buffer>, limit: BodyLimit): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > limit.bytes) throw limit.error()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
