import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import type { LibraryId } from '../../shared/library.ts'
import { LibraryIdParam } from '../../shared/schemas/library-id-param.ts'

const maxBodyBytes = 4 * 1024

const ViewRequest = z.strictObject({ libraryId: LibraryIdParam.describe('The library as /owner/repo, with its version') })

type ViewPorts = { view(id: LibraryId, c: Context): Promise<void> }

/** Counts the views of pages, which caches serve. */
export const viewRoutes = ({ view }: ViewPorts, access: MiddlewareHandler) =>
  new Hono().post(
    '/v2/libs/view',
    describeRoute({
      operationId: 'countView',
      tags: ['Metrics'],
      summary: 'Count a view of the page of a library',
      description: 'The pages of libraries send it. The body may be labelled as text/plain, as navigator.sendBeacon does.',
      responses: { 200: json(z.object({ message: z.string() }), 'Counted, unless the caller is a bot') },
      errors: [404],
    }),
    access,
    asJson,
    jsonBody(maxBodyBytes),
    input('json', ViewRequest),
    async (c) => {
      await view(c.req.valid('json').libraryId, c)
      return c.json({ message: 'The view was counted.' })
    },
  )

/** A browser labels the text of a beacon as plain text. */
const asJson = createMiddleware(async (c, next) => {
  if (!/^text\/plain\s*(;|$)/i.test(c.req.header('content-type') ?? '')) return next()
  const headers = new Headers(c.req.raw.headers)
  headers.set('content-type', 'application/json')
  c.req.raw = new Request(c.req.raw, { headers })
  await next()
})
