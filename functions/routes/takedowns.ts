import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { networkOf } from '../../shared/http/client-address.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { printLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import { utcDay } from '../../shared/time/utc-day.ts'
import { userKey } from '../../shared/usage/record-usage.ts'
import type { Salts } from '../../shared/usage/salts.ts'
import { limitedWork } from '../access/limited-work.ts'
import { takedownRules } from '../access/rate-rules.ts'
import type { RequestCounts } from '../access/request-counts.ts'
import { viewerAddress } from '../access/request-usage.ts'
import { TakedownRequest, type TakedownRequests } from '../takedown/takedown-requests.ts'

type TakedownRoutesPorts = {
  takedowns: Pick<TakedownRequests, 'add'>
  requestCounts: RequestCounts
  salts: Pick<Salts, 'saltOf'>
  originSecrets: readonly string[] | undefined
  log: Log
  now(): Date
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

/** Hashes the network of a caller with the salt of the day. */
async function networkHash({ salts, originSecrets, now }: TakedownRoutesPorts, c: Context): Promise<string> {
  const address = networkOf(viewerAddress(c, originSecrets !== undefined))
  return userKey({ salt: await salts.saltOf(utcDay(now())), address, userAgent: '' })
}
