import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Log } from '../log.ts'

const maxPathCharacters = 500

/** The path for logs, truncated because clients choose its length. */
export const shownPath = (c: Context): string => c.req.path.slice(0, maxPathCharacters)

/** Logs one line per request, with the path but never the query string. */
export const logRequests = ({ log }: { log: Log }) =>
  createMiddleware(async (c, next) => {
    const began = performance.now()
    const id = randomUUID()
    await next()
    c.header('x-request-id', id)
    log.info(
      {
        request: id,
        method: c.req.method,
        path: shownPath(c),
        status: c.res.status,
        ms: Math.round((performance.now() - began) * 10) / 10,
      },
      'request',
    )
  })
