import type { Readable } from 'node:stream'
import { AppError } from '../errors.ts'
import { unlessAborted } from '../time/unless-aborted.ts'
import { connectionError } from './connections.ts'

/** The limits of a download whose size is not limited. */
export type TransferLimits = {
  /** Time limit for the head of a response. */
  headMs: number
  /** In each such time, at least `windowBytes` must arrive. */
  windowMs: number
  windowBytes: number
}

export const transferLimits: TransferLimits = { headMs: 30_000, windowMs: 60_000, windowBytes: 64 * 1024 }

/** The response of `host`, whose body is not read yet. Throws timeout, provider_unavailable, or the reason of `signal`. */
export async function headWithin<Response>(
  host: string,
  { headMs }: TransferLimits,
  signal: AbortSignal,
  send: (ended: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const late = AbortSignal.timeout(headMs)
  const sending = new AbortController()
  try {
    // undici ignores the signal until it is connected.
    return await unlessAborted(send(AbortSignal.any([signal, sending.signal])), AbortSignal.any([signal, late]))
  } catch (error) {
    sending.abort()
    signal.throwIfAborted()
    if (late.aborted) throw new AppError('timeout', `${host} did not respond within ${Math.ceil(headMs / 1000)} s.`)
    throw connectionError(host, error)
  }
}

export type Transfer = {
  host: string
  /** Its subject in messages, such as `the bundle`. */
  name: string
  /** Number of bytes that an earlier transfer has received. */
  startBytes?: number
  totalBytes: number | undefined
  /** Tells a person what to do after a failure. */
  advice: string
}

/**
 * The chunks of a body, which is destroyed after the last one that the caller takes. Throws timeout if it arrives more slowly than the limits
 * allow, provider_unavailable if it ends too early or does not end after `totalBytes`.
 */
export async function* chunksWithin(
  body: Readable,
  { windowMs, windowBytes }: TransferLimits,
  transfer: Transfer,
): AsyncGenerator<Buffer> {
  const { startBytes = 0, totalBytes } = transfer
  let bytes = startBytes
  let bytesBefore = bytes
  const watch = setInterval(() => {
    if (bytes - bytesBefore < windowBytes) body.destroy(tooSlow(transfer, windowBytes, windowMs))
    bytesBefore = bytes
  }, windowMs)
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (totalBytes !== undefined && bytes > totalBytes) throw tooLong(transfer, totalBytes)
      yield chunk
    }
  } catch (error) {
    throw error instanceof AppError ? error : truncated(transfer, bytes, error)
  } finally {
    clearInterval(watch)
    body.on('error', () => undefined).destroy()
  }
  if (totalBytes !== undefined && bytes < totalBytes) throw truncated(transfer, bytes)
}

const tooSlow = ({ host, name, advice }: Transfer, bytes: number, ms: number): AppError =>
  new AppError(
    'timeout',
    `${host} sent less than ${Math.ceil(bytes / 1024)} kB of ${name} in ${Math.ceil(ms / 1000)} s. ${advice}`,
  )

const tooLong = ({ host, name }: Transfer, totalBytes: number): AppError =>
  new AppError('provider_unavailable', `${host} sends more than ${totalBytes} bytes as ${name}, which has ${totalBytes}.`)

function truncated({ host, name, totalBytes, advice }: Transfer, bytes: number, cause?: unknown): AppError {
  const received = totalBytes === undefined ? bytes : `${bytes} of ${totalBytes}`
  return new AppError('provider_unavailable', `${host} ended ${name} after ${received} bytes. ${advice}`, { cause })
}
