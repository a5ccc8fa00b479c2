import type { Context } from 'hono'
import { printLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import { limitedWork } from '../access/limited-work.ts'
import { type NetworkHashPorts, networkHash } from '../access/network-hash.ts'
import { takedownRules } from '../access/rate-rules.ts'
import type { RequestCounts } from '../access/request-counts.ts'
import type { TakedownRequest, TakedownRequests } from './takedown-requests.ts'

export type RequestTakedownPorts = NetworkHashPorts & {
  takedowns: Pick<TakedownRequests, 'add'>
  requestCounts: RequestCounts
  log: Log
}

/** Stores a request for the operator and returns a sentence with its id. Throws rate_limit_exceeded. */
export async function requestTakedown(ports: RequestTakedownPorts, c: Context, request: TakedownRequest) {
  const [all, own] = takedownRules(await networkHash(ports, c), ports.now())
  const counting = { ...ports, counts: ports.requestCounts }
  const add = () => ports.takedowns.add({ ...request, library: printLibraryId(request.library) })
  const id = await limitedWork(counting, own, () => limitedWork(counting, all, add))
  return { id, message: `The operator decides about this request. Its number is ${id}.` }
}
