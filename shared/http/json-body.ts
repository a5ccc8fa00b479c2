import { createMiddleware } from 'hono/factory'
import { HTTPException } from 'hono/http-exception'
import { AppError } from '../errors.ts'
import { compressedBody, isCompressed, readBody } from './read-body.ts'
import { withDocs } from './route-docs.ts'

/** Reads the body. Rejects one that is not labelled as JSON or is longer than the limit. Mount it after the access check. */
export const jsonBody = (limitBytes: number) => {
  const read = createMiddleware(async (c, next) => {
    if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
      throw new AppError('validation_error', 'The body must be JSON, sent with the header "Content-Type: application/json".')
    if (isCompressed(c.req.raw)) throw new AppError('validation_error', compressedBody)
    c.req.raw = new Request(c.req.raw, { body: await readBody(c.req.raw, limitBytes) })
    await next()
  })
  return withDocs(read, { errors: [413] })
}

/** Converts Hono's error for an unreadable body to an AppError. Returns other errors unchanged. */
export const asBodyError = (thrown: unknown): unknown =>
  thrown instanceof HTTPException ? new AppError('validation_error', 'The body is not valid JSON.', { cause: thrown }) : thrown
