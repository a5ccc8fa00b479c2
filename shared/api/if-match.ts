import type { MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { withDocs } from '../http/route-docs.ts'

/** The header of a response with a state that If-Match can name. */
export const EtagHeader = z.object({ ETag: z.string().describe('The state, for If-Match') })

const IfMatchHeader = z.object({
  'If-Match': z
    .string()
    .optional()
    .describe('The ETag of the state that the change is based on. Without it the change is always made'),
})

/** Documents that a route compares the header If-Match with the current state. */
export const ifMatch = (): MiddlewareHandler =>
  withDocs<MiddlewareHandler>((_, next) => next(), { requestParams: { header: IfMatchHeader }, errors: [412] })
