import { createMiddleware } from 'hono/factory'
import { HTTPException } from 'hono/http-exception'
import { AppError } from '../errors.ts'
import { readBody } from './read-body.ts'

/** Refuses a body that does not call itself JSON, or is longer than the route reads. It stands behind the gate. */
export const jsonBody = (limitBytes: number) =>
  createMiddleware(async (c, next) => {
    if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
      throw new AppError('validation_error', 'The body must be JSON, sent with the header "Content-Type: application/json".')
    c.req.raw = new Request(c.req.raw, { body: await readBody(c.req.raw, limitBytes) })
    await next()
  })

/** What Hono throws where a body cannot be read, as an error of ours; anything else as it is. */
export const asBodyError = (thrown: unknown): unknown =>
  thrown instanceof HTTPException ? new AppError('validation_error', 'The body is not valid JSON.', { cause: thrown }) : thrown
