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

/** Questions that are rejected because too many wait. Callers repeat them without a pause, and writing a line costs as much as rejecting. */
const isRejectedQuestion = (c: Context): boolean =>
  /^\/(api\/v2\/|mcp$)/.test(c.req.path) && (c.res.status === 429 || c.res.status === 503) && c.res.headers.has('retry-after')

const sampleEveryMs = 1_000

/**
 * Gives each request an id, which its response has as X-Request-Id, and logs one line per request, with the path but never the query string.
 * Answered polls are logged at debug. Of rejected questions, one per second is logged, with the number of the others as `unlogged`.
 */
export const logRequests = ({ log }: { log: Pick<ServerLog, 'info' | 'debug'> }) => {
  let sampledAtMs = Number.NEGATIVE_INFINITY
  let unlogged = 0
  /** Returns undefined if the request is not logged. */
  const sampled = (ended: number) => {
    if (ended - sampledAtMs < sampleEveryMs) {
      unlogged += 1
      return undefined
    }
    const fields = unlogged === 0 ? {} : { unlogged }
    sampledAtMs = ended
    unlogged = 0
    return fields
  }
  return createMiddleware(async (c, next) => {
    const began = performance.now()
    const id = nameRequest(c)
    await next()
    c.header('x-request-id', id)
    const ended = performance.now()
    const more = isRejectedQuestion(c) ? sampled(ended) : {}
    if (more === undefined) return
    const level = isPoll(c) && c.res.status < 400 ? 'debug' : 'info'
    requestLog(c, log)[level](
      {
        method: c.req.method,
        path: shownPath(c),
        status: c.res.status,
        ms: Math.round((ended - began) * 10) / 10,
        ...more,
      },
      'request',
    )
  })
}
