import type { Readable, Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { AppError } from '../errors.ts'
import { allowedUrl, type HostRules } from '../network/allowed-hosts.ts'
import { type Connections, connectionError, openConnections } from '../network/connections.ts'
import type { Network } from '../network/network.ts'
import { limitSize } from '../text/figures.ts'
import { unlessAborted } from '../time/unless-aborted.ts'

export type DownloadAccess = Network & HostRules

export type Download = {
  status: number
  /** The address that responded, after redirects. */
  url: string
  header(name: string): string | undefined
  body: Buffer
}

export type DownloadRequest = {
  headers?: Record<string, string>
  /** Limit of the decoded body. */
  maxBytes: number
  /** The rest of a larger body is ignored instead of rejected. */
  cutsOff?: boolean
  /** A redirect to another host, port or protocol is returned instead of followed, so that the headers reach no other server. */
  staysAtOrigin?: boolean
  /** Time limit of the request with its redirects and its body. */
  timeMs: number
  signal: AbortSignal
}

export type Downloads = {
  /**
   * Gets an address of an allowed host. Each redirect is checked like the address itself. Any status but a redirect is returned. Throws
   * validation_error for an address that may not be asked, payload_too_large, provider_unavailable, timeout.
   */
  get(url: string, request: DownloadRequest): Promise<Download>
  close(): void
}

const maxRedirects = 5
const userAgent = 'carrel (documentation for coding agents)'

/** The connections of one job to the hosts that the settings list. */
export async function openDownloads(access: DownloadAccess, connectMs: number): Promise<Downloads> {
  const connections = await openConnections(access, connectMs, { publicOnly: !access.mayBePrivate })
  return {
    get: (url, request) => get(access, connections, url, request),
    close: () => connections.close(),
  }
}

async function get(access: DownloadAccess, connections: Connections, from: string, request: DownloadRequest): Promise<Download> {
  const { timeMs } = request
  const late = AbortSignal.timeout(timeMs)
  const signal = AbortSignal.any([request.signal, late])
  let url = allowedUrl(from, access)
  try {
    for (let redirects = 0; ; redirects++) {
      const answer = await send(connections, url, { ...request, signal })
      const location = answer.status >= 300 && answer.status <= 399 ? answer.header('location') : undefined
      if (location === undefined) return answer
      if (request.staysAtOrigin && URL.parse(location, url.href)?.origin !== url.origin) return answer
      if (redirects === maxRedirects)
        throw new AppError('validation_error', `${from} redirects more than ${maxRedirects} times, which is not followed.`)
      url = allowedUrl(URL.parse(location, url.href)?.href ?? '', access)
    }
  } catch (error) {
    request.signal.throwIfAborted()
    if (!late.aborted) throw error
    throw new AppError('timeout', `${url.host} did not send ${url.href} within ${timeMs / 1000} s.`, {
      retry: 'limited',
      cause: error,
    })
  }
}

async function send(
  connections: Connections,
  url: URL,
  { headers, maxBytes, cutsOff, signal }: Omit<DownloadRequest, 'timeMs'>,
): Promise<Download> {
  try {
    const sending = connections.request(url.href, {
      headers: { 'user-agent': userAgent, 'accept-encoding': 'gzip, br', ...headers },
      signal,
      dispatcher: connections.dispatcherFor(url.href),
    })
    // undici ignores the signal until it is connected.
    const answer = await unlessAborted(sending, signal)
    const header = (name: string) => answer.headers[name]?.toString()
    const tooLarge = () =>
      new AppError('payload_too_large', `${url.href} is larger than ${limitSize(maxBytes)}.`, {
        fields: { limitBytes: maxBytes },
      })
    const body = await readBody(answer.body, header('content-encoding'), maxBytes, cutsOff ? undefined : tooLarge)
    return { status: answer.statusCode, url: url.href, header, body }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) throw error
    throw connectionError(url.host, error, `The host ${url.host}`)
  }
}

/** Decodes while it reads, so that a small body that unpacks to gigabytes ends at the limit. */
async function readBody(
  body: Readable,
  encoding: string | undefined,
  maxBytes: number,
  tooLarge: (() => AppError) | undefined,
): Promise<Buffer> {
  const decoder = decoderOf(encoding)
  const decoded = decoder === undefined ? body : body.on('error', (error) => decoder.destroy(error)).pipe(decoder)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of decoded as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes && tooLarge) throw tooLarge()
      chunks.push(bytes > maxBytes ? chunk.subarray(0, maxBytes - bytes) : chunk)
      if (bytes > maxBytes) break
    }
  } finally {
    decoder?.destroy()
    body.on('error', () => undefined).destroy()
  }
  return Buffer.concat(chunks)
}

/** A body that was cut off keeps what has arrived, as browsers do. */
function decoderOf(encoding = ''): Transform | undefined {
  const finishFlush = constants.Z_SYNC_FLUSH
  if (/^(?:x-)?gzip$/i.test(encoding)) return createGunzip({ finishFlush })
  if (/^deflate$/i.test(encoding)) return createInflate({ finishFlush })
  if (/^br$/i.test(encoding)) return createBrotliDecompress()
  return undefined
}
