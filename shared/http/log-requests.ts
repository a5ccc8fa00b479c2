import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { logWith, type ServerLog } from '../log.ts'
import { readTraceparent } from './read-traceparent.ts'

const maxPathCharacters = 500

/** The token of an invitation. */
const secretInPath = /^((?:\/api)?\/invites\/)[^/]+/

/** The path for logs, without secrets, and truncated because clients choose its length. */
export const shownPath = (c: Context): string => c.req.path.replace(secretInPath, '$1***').slice(0, maxPathCharacters)

const polled = /^\/(metrics|api\/(health|ready|parse-status|events|jobs\/\d+))$/

/** Requests that clients repeat to watch the state of the server. */
const isPoll = (c: Context): boolean => c.req.method === 'GET' && polled.test(c.req.path)

/** Questions that are rejected because too many wait. Callers repeat them without a pause, and writing a line costs as much as rejecting. */
const isRejectedQuestion = (c: Context): boolean =>
  /^\/(api\/v2\/|mcp$)/.test(c.req.path) && (c.res.status === 429 || c.res.status === 503) && c.res.headers.has('retry-after')

const sampleEveryMs = 1_000

/** The ids that services in front of a server gave a request. */
export type OuterIds = { gateway?: string | undefined; edge?: string | undefined }
type RequestLogOptions = { log: Pick<ServerLog, 'info' | 'debug'>; outerIds?: ((c: Context) => OuterIds) | undefined }

/**
 * Gives each request an id, which its response has as X-Request-Id, and logs one line per request, with the path but never the query string.
 * The ids of services in front of the server, if there are any, come first. Answered polls are logged at debug. Of rejected questions, one per second is logged, with the number of the others as `unlogged`.
 */
export const logRequests = ({ log, outerIds = () => ({}) }: RequestLogOptions) => {
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
    const { gateway, edge } = outerIds(c)
    const id = nameRequest(c, [gateway, edge])
    noteTraceparent(c, c.req.header('traceparent'))
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
        ...(edge !== id && isWellFormed(edge) && { edge }),
        ...more,
      },
      'request',
    )
  })
}

/** A proxy's id or ours: plain characters, so that no client can write into the log what looks like another field or line. */
export const requestIdPattern = /^[\w.:=-]{8,64}$/

const variable = 'requestId'

const isWellFormed = (id: string | undefined): id is string => id !== undefined && requestIdPattern.test(id)

/** Names a request: by the first well-formed one of these ids and its X-Request-Id, else by a new id. */
function nameRequest(c: Context, outer: (string | undefined)[]): string {
  const id = [...outer, c.req.header('x-request-id')].find(isWellFormed) ?? randomUUID()
  c.set(variable, id)
  return id
}

/** The id of a request, which its log lines and its response have. */
export const requestIdOf = (c: Context): string | undefined => c.get(variable)

const traceVariable = 'traceparent'

/** Adds the trace of a request to its log lines. A value of another format is ignored. */
export function noteTraceparent(c: Context, value: unknown): void {
  const traceparent = readTraceparent(value)
  if (traceparent !== undefined) c.set(traceVariable, traceparent)
}

/** The log for lines about a request, which have its id and, if its client sent one, its trace. */
export function requestLog<L extends Partial<ServerLog>>(c: Context, log: L) {
  const traceparent: string | undefined = c.get(traceVariable)
  return logWith(log, { request: c.get(variable), ...(traceparent !== undefined && { traceparent }) })
}
