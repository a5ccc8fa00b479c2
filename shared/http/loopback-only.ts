import { createMiddleware } from 'hono/factory'
import { AppError } from '../errors.ts'
import { isLoopbackHost } from '../schemas/base-url.ts'

/** As written: other spellings of a loopback address are no client's. */
export const isLoopbackHostHeader = (host: string): boolean => isLoopbackHost(host.replace(/:\d{1,5}$/, ''))

/**
 * On loopback every request names this machine as its Host: else a page of a stranger could reach the server under a name of its own (DNS
 * rebinding).
 */
export const loopbackOnly = (loopback: boolean) =>
  createMiddleware(async (c, next) => {
    if (loopback && !isLoopbackHostHeader(c.req.header('host') ?? ''))
      throw new AppError('forbidden', 'This server answers only as localhost or 127.0.0.1.')
    await next()
  })
