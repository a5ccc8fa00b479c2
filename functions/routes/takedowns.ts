import { Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { printLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import { limitedWork } from '../access/limited-work.ts'
import { type NetworkHashPorts, networkHash } from '../access/network-hash.ts'
import { takedownRules } from '../access/rate-rules.ts'
import type { RequestCounts } from '../access/request-counts.ts'
import { TakedownRequest, type TakedownRequests } from '../takedown/takedown-requests.ts'

type TakedownRoutesPorts = NetworkHashPorts & {
  takedowns: Pick<TakedownRequests, 'add'>
  requestCounts: RequestCounts
  log: Log
}

const maxBodyBytes = 32 * 1024

/** The form for people who do not own the repository. Owners use the project file or their claim. */
export const takedownRoutes = (ports: TakedownRoutesPorts, access: MiddlewareHandler) =>
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
    jsonBody(maxBodyBytes),
    input('json', TakedownRequest),
    async (c) => {
      const { library, ...request } = c.req.valid('json')
      const [all, own] = takedownRules(await networkHash(ports, c), ports.now())
      const counting = { ...ports, counts: ports.requestCounts }
      const add = () => ports.takedowns.add({ ...request, library: printLibraryId(library) })
      const id = await limitedWork(counting, own, () => limitedWork(counting, all, add))
      return c.json({ id, message: `The operator decides about this request. Its number is ${id}.` }, 202)
    },
  )
