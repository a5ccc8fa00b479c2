import { Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { type RequestTakedownPorts, requestTakedown } from '../takedown/request-takedown.ts'
import { maxRequestBytes, TakedownRequest } from '../takedown/takedown-requests.ts'

/** The form for people who do not own the repository. Owners use the project file or their claim. */
export const takedownRoutes = (ports: RequestTakedownPorts, access: MiddlewareHandler) =>
  new Hono().post(
    '/v2/takedowns',
    describeRoute({
      operationId: 'requestTakedown',
      summary: 'Ask the operator to remove a library',
      description:
        'For people who do not own the repository. Its owner writes "disallowIndexing": true into its project file instead, and the library is removed within a day.',
      responses: { 202: json(z.object({ id: z.string(), message: z.string() }), 'The operator decides') },
      errors: [503],
    }),
    access,
    jsonBody(maxRequestBytes),
    input('json', TakedownRequest),
    async (c) => c.json(await requestTakedown(ports, c, c.req.valid('json')), 202),
  )
