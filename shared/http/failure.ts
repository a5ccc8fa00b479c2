import type { Context } from 'hono'
import type { Log } from '../log.ts'
import { CallerDisconnected } from './caller-signal.ts'
import { errorResponse } from './error-response.ts'
import { shownPath } from './log-requests.ts'
import { requestLog } from './request-log.ts'
import { toHttp } from './to-http.ts'

/** The response to a failed request. Logs failures of the server, but not rejections because it is busy. */
export function failure({ log }: { log: Log }, error: unknown, c: Context): Response {
  if (error instanceof CallerDisconnected) return new Response(null, { status: 499 })
  const { status, headers } = toHttp(error)
  if (status >= 500 && headers['retry-after'] === undefined)
    requestLog(c, log).error({ error, method: c.req.method, path: shownPath(c) }, 'request failed')
  return errorResponse(error, c.req.path)
}
