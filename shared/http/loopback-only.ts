import { createMiddleware } from 'hono/factory'
import { AppError } from '../errors.ts'
import { isLoopbackHost } from '../network/private-address.ts'

/** Compares the text: no client sends other spellings of a loopback address. */
export const isLoopbackHostHeader = (host: string): boolean => isLoopbackHost(host.replace(/:\d{1,5}$/, ''))

/**
 * Rejects requests on loopback whose Host header does not name this machine. Otherwise a foreign web page could reach the server through a
 * domain of the attacker (DNS rebinding).
 */
export const loopbackOnly = (loopback: boolean) =>
  createMiddleware(async (c, next) => {
    if (loopback && !isLoopbackHostHeader(c.req.header('host') ?? ''))
      throw new AppError('forbidden', 'This server accepts only requests to localhost or 127.0.0.1.')
    await next()
  })
