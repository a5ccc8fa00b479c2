import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { ServerLog } from '../log.ts'
import { nameRequest, requestLog } from './request-log.ts'

const maxPathCharacters = 500

/** The path for logs, truncated because clients choose its length. */
export const shownPath = (c: Context): string => c.req.path.slice(0, maxPathCharacters)

const polled = /^\/(metrics|api\/(health|ready|parse-status|events|jobs\/\d+))$/

/** Requests that clients repeat to watch the state of the server. */
const isPoll = (c: Context): boolean => c.req.method === 'GET' && polled.test(c.req.path)

/** Gives each request an id, which its response has as X-Request-Id, and logs one line per request, with the path but never the query string. Answered polls are logged at debug. */
export const logRequests = ({ log }: { log: Pick<ServerLog, 'info' | 'debug'> }) =>
  createMiddleware(async (c, next) => {
    const began = performance.now()
    const id = nameRequest(c)
    await next()
    c.header('x-request-id', id)
    const level = isPoll(c) && c.res.status < 400 ? 'debug' : 'info'
    requestLog(c, log)[level](
      {
        method: c.req.method,
        path: shownPath(c),
        status: c.res.status,
        ms: Math.round((performance.now() - began) * 10) / 10,
      },
      'request',
    )
  })
