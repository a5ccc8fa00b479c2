import { AppError } from '../../shared/errors.ts'
import type { ParseRequest } from '../../shared/indexing/index-job.ts'
import { type Caller, mayRead, type RightPorts } from '../access/caller.ts'
import { enqueueParse, type ParsePorts, type Queued } from '../jobs/enqueue-parse.ts'

/** Queues a parse. Callers that may not read learn nothing about existing libraries. Throws what `enqueueParse` throws. */
export const parseForCaller = (ports: ParsePorts & RightPorts, caller: Caller, request: ParseRequest): Promise<Queued> =>
  enqueueParse(ports, request, caller.holder === undefined).catch((error: unknown) =>
    Promise.reject(mayRead(ports, caller) ? error : withoutAddress(error)),
  )

/** The address of the existing library is only for callers that may read. */
function withoutAddress(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'duplicate_repo') return error
  const message = 'A library with this id exists already. Send a key of this install to see which.'
  return new AppError('duplicate_repo', message, { cause: error })
}
