import type { Env, Hono } from 'hono'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import { asFullDisk } from '../system/full-disk.ts'
import { errorResponse } from './error-response.ts'
import { failure } from './failure.ts'
import { asBodyError } from './json-body.ts'

const maxShownPathChars = 100

/** Sets the responses to unknown paths and thrown errors. `explain` may replace an error by one that says what to do. */
export function handleErrors<E extends Env>(
  server: Hono<E>,
  { log }: { log: Log },
  explain: (error: unknown) => unknown = (error) => error,
): void {
  server.notFound((c) => {
    const path = c.req.path.slice(0, maxShownPathChars)
    return errorResponse(new AppError('not_found', `There is no ${c.req.method} ${path}.`), c.req.path)
  })
  server.onError((thrown, c) => failure({ log }, asFullDisk(explain(asBodyError(thrown))), c))
}
