import { randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import { logWith, type ServerLog } from '../log.ts'

/** A proxy's id or ours: plain characters, so that no client can write into the log what looks like another field or line. */
export const requestIdPattern = /^[\w.:=-]{8,64}$/

const variable = 'requestId'

/** Names a request: by its X-Request-Id if that is well-formed, else by a new id. */
export function nameRequest(c: Context): string {
  const sent = c.req.header('x-request-id')
  const id = sent !== undefined && requestIdPattern.test(sent) ? sent : randomUUID()
  c.set(variable, id)
  return id
}

/** The log for lines about a request, which have its id. */
export const requestLog = <L extends Partial<ServerLog>>(c: Context, log: L) => logWith(log, { request: c.get(variable) })
