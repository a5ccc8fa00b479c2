import type { HttpBindings } from '@hono/node-server'
import { createMiddleware } from 'hono/factory'

const connectionHeaders = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade']

/**
 * Drops the headers of a response that describe its connection, which the MCP package sets on streams: only Node's HTTP server knows whether the
 * client wants to reuse the connection. A `Connection: close` has it close the connection.
 */
export const dropConnectionHeaders = () =>
  createMiddleware(async (c, next) => {
    await next()
    const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>
    if (outgoing && c.res.headers.get('connection') === 'close') outgoing.shouldKeepAlive = false
    for (const name of connectionHeaders) if (c.res.headers.has(name)) c.header(name, undefined)
  })
