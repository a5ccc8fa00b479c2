import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { HTTPException } from 'hono/http-exception'
import { AppError } from '../errors.ts'

/** Refuses a body that does not call itself JSON, or is longer than the route reads. It stands behind the gate. */
export const jsonBody = (maxBytes: number) => {
  const limited = bodyLimit({
    maxSize: maxBytes,
    onError: (c) => {
      throw tooLarge(c, maxBytes)
    },
  })
  return createMiddleware(async (c, next) => {
    if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
      throw new AppError('validation_error', 'The body must be JSON, sent with the header "Content-Type: application/json".')
    return limited(c, next)
  })
}

/** What Hono throws where a body cannot be read, as an error of ours; anything else as it is. */
export const readable = (thrown: unknown): unknown =>
  thrown instanceof HTTPException ? new AppError('validation_error', 'The body is not valid JSON.', { cause: thrown }) : thrown

function tooLarge(c: Context, limitBytes: number): AppError {
  const sizeBytes = Number(c.req.header('content-length') ?? Number.NaN)
  const size = Number.isSafeInteger(sizeBytes) ? `${sizeBytes} bytes` : `more than ${limitBytes} bytes`
  return new AppError('payload_too_large', `The body has ${size}; at most ${limitBytes} bytes are read here.`, {
    fields: { ...(Number.isSafeInteger(sizeBytes) ? { sizeBytes } : {}), limitBytes },
  })
}
