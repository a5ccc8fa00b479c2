import { AppError } from '../errors.ts'
import { bodyTooLarge, timedChunks } from './timed-chunks.ts'

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** Limits for a body in memory: total time and longest pause. */
const bodyMs = 30_000
const silentMs = 5_000
/** Limits for all bodies that are being received. */
const maxBytesInFlight = 64 * 1024 * 1024
const maxInFlight = 2_000
const maxDrained = 64 * 1024 * 1024
/** Each chunk costs Node time and memory, even with one byte of data. Clients send chunks of kilobytes. */
const maxSmallChunks = 1_000
const minMeanChunkBytes = 64
const firstBufferBytes = 4096

/** Bodies that are being received, oldest first. */
const inFlight = new Set<PendingBody>()
let bytesInFlight = 0

type PendingBody = { heldBytes: number; reject(reason: AppError): void }

/** True if the body is compressed, which no route reads. */
export const isCompressed = ({ headers }: Request): boolean => !/^(identity)?$/i.test(headers.get('content-encoding') ?? '')

export const compressedBody = 'The body is compressed. Send it uncompressed, without the header Content-Encoding.'

/**
 * The whole body of a request, in memory. Throws payload_too_large, validation_error if it is incomplete, takes too long or arrives in too many
 * tiny chunks, and temporarily_unavailable if too many bodies arrive together and this is the oldest.
 */
export async function readBody(request: Request, limitBytes: number): Promise<Buffer<ArrayBuffer>> {
  const announcedBytes = request.headers.get('content-length')
  if (announcedBytes !== null && Number(announcedBytes) > limitBytes) throw bodyTooLarge(limitBytes, Number(announcedBytes))
  const reader = request.body?.getReader()
  if (!reader) return Buffer.alloc(0)
  const chunks = timedChunks(reader, { silentMs, bodyMs, limitBytes })
  const isTiny = tinyChunks()
  const receiving: PendingBody = { heldBytes: 0, reject: chunks.reject }
  inFlight.add(receiving)
  let body = Buffer.alloc(0)
  let sizeBytes = 0
  try {
    makeRoom()
    for (let chunk = await chunks.next(); chunk; chunk = await chunks.next()) {
      if (isTiny(chunk)) throw tooManyChunks()
      body = withRoom(body, sizeBytes, chunk.length, limitBytes)
      body.set(chunk, sizeBytes)
      sizeBytes += chunk.length
      hold(receiving, body.length)
    }
    return body.subarray(0, sizeBytes)
  } catch (error) {
    if (!(error instanceof AppError && error.closesConnection)) void drain(reader).catch(() => undefined)
    throw error
  } finally {
    chunks.stop()
    forget(receiving)
  }
}

/** A buffer that begins with the first `sizeBytes` bytes of this one and has room for `moreBytes`. One copy needs less memory than many chunks. */
function withRoom(buffer: Buffer<ArrayBuffer>, sizeBytes: number, moreBytes: number, limitBytes: number): Buffer<ArrayBuffer> {
  const neededBytes = sizeBytes + moreBytes
  if (neededBytes <= buffer.length) return buffer
  const grown = Buffer.alloc(Math.min(limitBytes, Math.max(neededBytes, buffer.length * 2, firstBufferBytes)))
  grown.set(buffer.subarray(0, sizeBytes))
  return grown
}

function hold(body: PendingBody, heldBytes: number): void {
  if (!inFlight.has(body)) return
  bytesInFlight += heldBytes - body.heldBytes
  body.heldBytes = heldBytes
  makeRoom()
}

/** Rejects the oldest bodies, so that clients that stopped sending do not lock others out. */
function makeRoom(): void {
  for (const oldest of inFlight) {
    if (bytesInFlight <= maxBytesInFlight && inFlight.size <= maxInFlight) return
    forget(oldest)
    oldest.reject(tooManyBodies())
  }
}

function forget(body: PendingBody): void {
  if (inFlight.delete(body)) bytesInFlight -= body.heldBytes
}

/** Returns true once there are many chunks with a small mean length. */
function tinyChunks(): (chunk: Uint8Array) => boolean {
  let count = 0
  let sizeBytes = 0
  return (chunk) => {
    count += 1
    sizeBytes += chunk.length
    return count > maxSmallChunks && sizeBytes < count * minMeanChunkBytes
  }
}

/** Reads and drops the rest of a body: clients read the response only after they sent everything. */
async function drain(reader: Reader): Promise<void> {
  const isTiny = tinyChunks()
  for (let size = 0; size < maxDrained; ) {
    const { done, value } = await reader.read()
    if (done || isTiny(value)) return
    size += value.length
  }
}

const tooManyChunks = (): AppError =>
  new AppError(
    'validation_error',
    `The body arrives in chunks of less than ${minMeanChunkBytes} bytes. Send it in larger ones.`,
    {
      closesConnection: true,
    },
  )

const tooManyBodies = (): AppError =>
  new AppError(
    'temporarily_unavailable',
    'The server is receiving too many request bodies. Send the request again in a few seconds.',
    {
      retryAfterMs: 5_000,
    },
  )
