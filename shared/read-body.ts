import { AppError } from './errors.ts'
import { unlessAborted } from './unless-aborted.ts'

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** How long a client may take for a body that is held in memory, and how long it may pause. */
const bodyMs = 30_000
const silentMs = 5_000
/** All bodies that are being received, together. */
const maxBytesInFlight = 64 * 1024 * 1024
const maxInFlight = 2_000
const maxDrained = 64 * 1024 * 1024

/** Bodies that are being received, the oldest first. */
const inFlight = new Set<Receiving>()
let bytesInFlight = 0

type Receiving = { sizeBytes: number; late: AbortController }

/**
 * The whole body of a request, in memory. Throws payload_too_large, validation_error if it breaks off or takes too long, and search_failed if
 * too many bodies arrive at once and this is the oldest.
 */
export async function readBody(request: Request, limitBytes: number): Promise<Buffer<ArrayBuffer>> {
  const sizeBytes = request.headers.get('content-length')
  if (sizeBytes !== null && Number(sizeBytes) > limitBytes) throw bodyTooLarge(limitBytes, Number(sizeBytes))
  const reader = request.body?.getReader()
  if (!reader) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  const receiving: Receiving = { sizeBytes: 0, late: new AbortController() }
  inFlight.add(receiving)
  makeRoom()
  try {
    for await (const chunk of inTime(reader, receiving.late)) {
      receiving.late.signal.throwIfAborted()
      receiving.sizeBytes += chunk.length
      bytesInFlight += chunk.length
      if (receiving.sizeBytes > limitBytes) throw bodyTooLarge(limitBytes)
      chunks.push(chunk)
      makeRoom()
    }
  } catch (error) {
    void drain(reader).catch(() => undefined)
    throw error
  } finally {
    forget(receiving)
  }
  return Buffer.concat(chunks)
}

/** Gives up the oldest bodies: those of clients that stopped sending, so that they lock nobody else out. */
function makeRoom(): void {
  for (const oldest of inFlight) {
    if (bytesInFlight <= maxBytesInFlight && inFlight.size <= maxInFlight) return
    forget(oldest)
    oldest.late.abort(tooManyBodies())
  }
}

function forget(body: Receiving): void {
  if (inFlight.delete(body)) bytesInFlight -= body.sizeBytes
}

async function* inTime(reader: Reader, late: AbortController): AsyncGenerator<Uint8Array> {
  const timer = setTimeout(() => late.abort(tooSlow(`The body took longer than ${bodyMs / 1000} seconds.`)), bodyMs)
  let silence: NodeJS.Timeout | undefined
  try {
    for (;;) {
      silence = setTimeout(() => late.abort(tooSlow(`Nothing of the body arrived for ${silentMs / 1000} seconds.`)), silentMs)
      const read = reader.read().catch((cause: unknown) => Promise.reject(brokenOff(cause)))
      const { done, value } = await unlessAborted(read, late.signal)
      clearTimeout(silence)
      if (done) return
      yield value
    }
  } finally {
    clearTimeout(timer)
    clearTimeout(silence)
  }
}

/** Takes what a client still sends: it reads its answer only when it has sent all. */
async function drain(reader: Reader): Promise<void> {
  for (let size = 0; size < maxDrained; ) {
    const { done, value } = await reader.read()
    if (done) return
    size += value.length
  }
}

export function bodyTooLarge(limitBytes: number, sizeBytes?: number): AppError {
  const size = sizeBytes === undefined ? `more than ${limitBytes} bytes` : `${sizeBytes} bytes`
  return new AppError('payload_too_large', `The body has ${size}; at most ${limitBytes} bytes are read here.`, {
    fields: { ...(sizeBytes === undefined ? {} : { sizeBytes }), limitBytes },
  })
}

const brokenOff = (cause: unknown): AppError =>
  new AppError('validation_error', 'The body broke off before its end. Send the request again.', { cause })

const tooSlow = (what: string): AppError => new AppError('validation_error', `${what} Send the whole request again.`)

const tooManyBodies = (): AppError =>
  new AppError('search_failed', 'The server is receiving too many request bodies. Send the request again in a few seconds.', {
    retryAfterMs: 5_000,
  })
