import type { Context, Env, Hono } from 'hono'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import { asMachineError, UnusablePath } from '../system/machine-error.ts'
import { CallerDisconnected } from './caller-signal.ts'
import { errorResponse } from './error-response.ts'
import { asBodyError } from './json-body.ts'
import { requestLog, shownPath } from './log-requests.ts'
import { toHttp } from './to-http.ts'

const maxShownPathChars = 100

/** Sets the responses to unknown paths and thrown errors. `explain` may replace an error by one that says what to do. */
export function handleErrors<E extends Env>(
  server: Hono<E>,
  { log }: { log: Log },
  explain: (error: unknown, c: Context) => unknown = (error) => error,
): void {
  server.notFound((c) => {
    const path = c.req.path.slice(0, maxShownPathChars)
    return errorResponse(new AppError('not_found', `There is no ${c.req.method} ${path}.`), c.req.path)
  })
  server.onError((thrown, c) => {
    const explained = explain(asBodyError(thrown), c)
    const error = asMachineError(explained)
    const isNew = error !== explained && error instanceof UnusablePath
    return failure({ log }, isNew ? error.withoutPath : error, c)
  })
}

/** The response to a failed request. Logs failures of the server, but not rejections because it is busy. */
function failure({ log }: { log: Log }, error: unknown, c: Context): Response {
  if (error instanceof CallerDisconnected) return new Response(null, { status: 499 })
  const { status, headers } = toHttp(error)
  if (status >= 500 && headers['retry-after'] === undefined)
    requestLog(c, log).error({ error, method: c.req.method, path: shownPath(c) }, 'request failed')
  return errorResponse(error, c.req.path)
}
