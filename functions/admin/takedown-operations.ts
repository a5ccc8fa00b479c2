import { z } from 'zod'
import { parseLibraryId, printLibraryId } from '../../shared/library.ts'
import { readLibraryId } from '../../shared/schemas/read-library-id.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { type KnownIdPorts, knownIdFor } from '../access/known-id-for.ts'
import { type OptOutLibraryPorts, optOutLibrary } from '../jobs/opt-out-library.ts'
import { liftOptOut } from '../takedown/lift-opt-out.ts'
import type { OptOuts } from '../takedown/opt-outs.ts'
import type { TakedownRequests } from '../takedown/takedown-requests.ts'
import { operationsOver } from './operation.ts'

export type TakedownOperationPorts = OptOutLibraryPorts &
  Pick<KnownIdPorts, 'gitHosts'> & {
    optOuts: Pick<OptOuts, 'list'>
    takedowns: Omit<TakedownRequests, 'add'>
  }

const { reading, changing } = operationsOver<TakedownOperationPorts>()

const Library = z.string().min(1).max(501).transform(readLibraryId)
const Request = z.object({ id: z.string().max(100) })

/** The operations behind `hosted opt-out` and `hosted takedown`. */
export const takedownOperations = {
  listOptOuts: reading(z.object({}), ({ optOuts }) => optOuts.list()),
  optOut: changing(
    z.object({ library: Library, reason: shortText(500).optional() }),
    async ({ catalog }, { library }) => ({
      teamspace: (await catalog.record(library))?.teamspace,
      before: { library: printLibraryId(library) },
    }),
    (ports, { library, reason }) => optOutLibrary(ports, library, { by: 'operator', ...(reason !== undefined && { reason }) }),
  ),
  liftOptOut: changing(
    z.object({ library: Library }),
    async (_, { library }) => ({ before: { library: printLibraryId(library) } }),
    async (ports, { library }) => ({ lifted: await liftOptOut(ports, library) }),
  ),
  listTakedowns: reading(z.object({}), ({ takedowns }) => takedowns.list()),
  acceptTakedown: changing(
    Request,
    async ({ takedowns }, { id }) => ({ before: { request: id, library: (await takedowns.get(id)).library } }),
    async (ports, { id }) => {
      const { library } = await ports.takedowns.get(id)
      const known = await knownIdFor(ports, parseLibraryId(library))
      const done = await optOutLibrary(ports, known, { by: 'operator', reason: `takedown request ${id}` })
      await ports.takedowns.decide(id, 'accepted')
      return { library, ...done }
    },
  ),
  rejectTakedown: changing(
    Request,
    async (_, { id }) => ({ before: { request: id } }),
    ({ takedowns }, { id }) => takedowns.decide(id, 'rejected'),
  ),
}
