import { AppError } from '../../shared/errors.ts'
import { libraryKey, printLibraryId } from '../../shared/library.ts'
import { longId } from '../../shared/reading/git/known-id.ts'
import type { RepoAddress } from '../../shared/reading/git/repo-address.ts'
import type { OptOut, OptOuts } from './opt-outs.ts'
import { disallowsIndexing, type ReadWishPorts } from './read-wish.ts'

export type RejectOptedOutPorts = ReadWishPorts & { optOuts: Pick<OptOuts, 'find'>; probeMs: number }

/**
 * Returns the error for a public repository that may not be indexed, by either of its ids. If its host does not respond, its project file is read again before the first parse.
 */
export async function optOutError(ports: RejectOptedOutPorts, address: RepoAddress): Promise<AppError | undefined> {
  const { id, webUrl } = address
  const [ofShort, ofLong, disallowed] = await Promise.all([
    ports.optOuts.find(libraryKey(id)),
    ports.optOuts.find(libraryKey(longId(address))),
    disallowsIndexing(ports, webUrl, ports.probeMs).catch(() => false),
  ])
  const optOut = ofShort ?? ofLong
  if (optOut === undefined && !disallowed) return undefined
  return new AppError('forbidden', `${printLibraryId(id)} cannot be added: ${whyNot(optOut)}`)
}

function whyNot(optOut: OptOut | undefined): string {
  if (optOut === undefined) return 'the project file of its default branch says "disallowIndexing": true.'
  return optOut.by === 'owner' ? 'its owner does not allow it.' : 'the operator of this service does not allow it.'
}
