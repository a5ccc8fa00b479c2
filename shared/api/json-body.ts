import { createMiddleware } from 'hono/factory'
import { HTTPException } from 'hono/http-exception'
import { AppError } from '../errors.ts'

type Body = ReadableStreamDefaultReader<Uint8Array>

const mostDrained = 64 * 1024 * 1024

/** Refuses a body that does not call itself JSON, or is longer than the route reads. It stands behind the gate. */
export const jsonBody = (limitBytes: number) =>
  createMiddleware(async (c, next) => {
    if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
      throw new AppError('validation_error', 'The body must be JSON, sent with the header "Content-Type: application/json".')
    const sizeBytes = c.req.header('content-length')
    if (sizeBytes !== undefined && Number(sizeBytes) > limitBytes) throw tooLarge(limitBytes, Number(sizeBytes))
    const chunked = sizeBytes === undefined ? c.req.raw.body?.getReader() : undefined
    if (chunked) c.req.raw = new Request(c.req.raw, { body: await readWhole(chunked, limitBytes) })
    await next()
  })

/** What Hono throws where a body cannot be read, as an error of ours; anything else as it is. */
export const readable = (thrown: unknown): unknown => (thrown instanceof HTTPException ? notJson(thrown) : thrown)

async function readWhole(body: Body, limitBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await body.read().catch((cause: unknown) => Promise.reject(notJson(cause)))
    if (done) return Buffer.concat(chunks)
    size += value.length
    if (size > limitBytes) {
      void drain(body).catch(() => undefined)
      throw tooLarge(limitBytes)
    }
    chunks.push(value)
  }
}

/** Takes what a client still sends: it reads its answer only when it has sent all. */
async function drain(body: Body): Promise<void> {
  for (let size = 0; size < mostDrained; ) {
    const { done, value } = await body.read()
    if (done) return
    size += value.length
  }
}

const notJson = (cause: unknown): AppError => new AppError('validation_error', 'The body is not valid JSON.', { cause })

function tooLarge(limitBytes: number, sizeBytes?: number): AppError {
  const size = sizeBytes === undefined ? `more than ${limitBytes} bytes` : `${sizeBytes} bytes`
  return new AppError('payload_too_large', `The body has ${size}; at most ${limitBytes} bytes are read here.`, {
    fields: { ...(sizeBytes === undefined ? {} : { sizeBytes }), limitBytes },
  })
}
