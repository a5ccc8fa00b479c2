import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Dispatcher } from 'undici'
import type { CatalogueFile, CatalogueModel } from '../../shared/ai/local/catalogue.ts'
import { AppError } from '../../shared/errors.ts'
import type { Connections } from '../../shared/network/connections.ts'
import { chunksWithin, headWithin, type TransferLimits } from '../../shared/network/transfer-limits.ts'
import { hashInto } from './hash-file.ts'

export type ModelFileRequest = {
  /** The setting `models.hub`. */
  hub: string
  model: Pick<CatalogueModel, 'repository' | 'revision'>
  file: CatalogueFile
  /** Where the checked file is written. What has arrived of it is next to it, in `PATH.part`. */
  path: string
  signal: AbortSignal
  limits: TransferLimits
  /** Called with the number of bytes that are on the disk. */
  onProgress(bytes: number): void
}

type Response = Dispatcher.ResponseData

const maxRedirects = 5

/**
 * Fetches a file of a model, after the part of it that an earlier call has fetched, and checks its hash. Throws provider_unavailable or
 * timeout in one sentence that names the host, or the reason of `signal`.
 */
export async function fetchModelFile(connections: Connections, request: ModelFileRequest): Promise<void> {
  const { file, path } = request
  const part = `${path}.part`
  await mkdir(dirname(path), { recursive: true })
  const hash = createHash('sha256')
  const done = await hashInto(hash, part)
  let sha256 = done <= file.bytes ? await fetchRest(connections, request, { part, done, hash }) : ''
  // The earlier bytes may have been wrong.
  if (sha256 !== file.sha256 && done > 0)
    sha256 = await fetchRest(connections, request, { part, done: 0, hash: createHash('sha256') })
  if (sha256 !== file.sha256) {
    await rm(part)
    throw wrongContent(request, sha256)
  }
  await rename(part, path)
}

type Part = { part: string; done: number; hash: Hash }

/** Appends the missing bytes to the part. Returns the hash of all. */
async function fetchRest(connections: Connections, request: ModelFileRequest, { part, done, hash }: Part): Promise<string> {
  const { file, limits, signal, onProgress } = request
  if (done === file.bytes) return hash.digest('hex')
  const response = await requestFile(connections, request, done, signal)
  const { host } = response
  const from = startOf(response, request, done)
  const total = from === 0 ? createHash('sha256') : hash
  const output = await open(part, from === 0 ? 'w' : 'a')
  let bytes = from
  const chunks = chunksWithin(response.body, limits, {
    host,
    name: fileOf(request),
    startBytes: from,
    totalBytes: file.bytes,
    advice: 'Add the model again to continue.',
  })
  try {
    for await (const chunk of chunks) {
      signal.throwIfAborted()
      bytes += chunk.length
      await writeChunk(output, chunk)
      total.update(chunk)
      onProgress(bytes)
    }
    await output.sync()
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    await output.close()
  }
  return total.digest('hex')
}

async function writeChunk(output: FileHandle, chunk: Buffer): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await output.write(chunk, at)).bytesWritten
}

/** Follows redirects to hosts of the hub. Throws for a response that is not the file. */
async function requestFile(
  { request, dispatcherFor }: Connections,
  asked: ModelFileRequest,
  done: number,
  signal: AbortSignal,
): Promise<Response & { host: string }> {
  const { hub, model, file, limits } = asked
  let url = new URL(`${hub}/${model.repository}/resolve/${model.revision}/${file.path}`)
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const { host } = url
    const response = await headWithin(host, limits, signal, (ended) =>
      request(url, {
        // Compression would change sizes and ranges.
        headers: { 'user-agent': 'carrel', 'accept-encoding': 'identity', ...(done > 0 && { range: `bytes=${done}-` }) },
        signal: ended,
        dispatcher: dispatcherFor(url.href),
      }),
    )
    const target = redirectOf(response, url)
    if (target === undefined) return Object.assign(response, { host })
    dismiss(response)
    if (!isOfHub(new URL(hub), target)) throw elsewhere(host, target)
    url = target
  }
  throw new AppError('provider_unavailable', `${url.host} redirects more than ${maxRedirects} times.`)
}

function redirectOf({ statusCode, headers }: Response, url: URL): URL | undefined {
  if (statusCode < 301 || statusCode > 308 || statusCode === 304 || typeof headers.location !== 'string') return undefined
  return URL.parse(headers.location, url.href) ?? undefined
}

/** The public hub sends large files from other hosts of its own; a mirror must send them itself. */
export const publicHub = 'https://huggingface.co'
const publicHosts = /(^|\.)(huggingface\.co|hf\.co)$/

function isOfHub(hub: URL, target: URL): boolean {
  if (target.host === hub.host) return target.protocol === hub.protocol || target.protocol === 'https:'
  return hub.origin === publicHub && target.protocol === 'https:' && target.port === '' && publicHosts.test(target.hostname)
}

/** The offset of the first byte in the body. Throws for a response that is not the file, or not as long. */
function startOf(response: Response & { host: string }, request: ModelFileRequest, done: number): number {
  const { host, statusCode, headers } = response
  const refuse = (error: AppError): never => {
    dismiss(response)
    throw error
  }
  if (statusCode !== 200 && statusCode !== 206) return refuse(refused(host, request, statusCode))
  if (/^text\/html/i.test(String(headers['content-type']))) return refuse(isPage(host, request))
  const from = statusCode === 206 && String(headers['content-range']).startsWith(`bytes ${done}-`) ? done : 0
  if (statusCode === 206 && from !== done) return refuse(refused(host, request, statusCode))
  const announced = headers['content-length']
  if (announced !== undefined && from + Number(announced) !== request.file.bytes)
    return refuse(wrongSize(host, request, String(from + Number(announced))))
  return from
}

const dismiss = ({ body }: Response) => body.on('error', () => undefined).destroy()

const fileOf = ({ model, file }: ModelFileRequest): string => `${file.path} of ${model.repository}`

const mirrorAdvice = 'The setting models.hub names where models are fetched.'

function refused(host: string, request: ModelFileRequest, status: number): AppError {
  const what = status === 404 ? 'does not have' : 'does not send'
  const sentence = `${host} ${what} ${fileOf(request)} at revision ${request.model.revision.slice(0, 12)} (status ${status}).`
  return new AppError('provider_unavailable', `${sentence} ${mirrorAdvice}`)
}

const isPage = (host: string, request: ModelFileRequest): AppError =>
  new AppError('provider_unavailable', `${host} sends a web page instead of ${fileOf(request)}. ${mirrorAdvice}`)

const wrongSize = (host: string, request: ModelFileRequest, bytes: string): AppError =>
  new AppError('provider_unavailable', `${host} sends ${bytes} bytes as ${fileOf(request)}, which has ${request.file.bytes}.`)

function wrongContent(request: ModelFileRequest, sha256: string): AppError {
  const { host } = new URL(request.hub)
  const sentence = `${host} sent another content as ${fileOf(request)}: its hash (SHA-256) is ${sha256}, not ${request.file.sha256}.`
  return new AppError('provider_unavailable', `${sentence} It was deleted.`)
}

const elsewhere = (host: string, { host: other }: URL): AppError =>
  new AppError(
    'provider_unavailable',
    `${host} redirects to ${other}, a host that no setting names. Set models.hub to an address that sends the files itself, or carry the model over with "carrel models pack".`,
  )
