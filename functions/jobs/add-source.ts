import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, printLibraryId } from '../../shared/library.ts'
import { type OtherSource, sourceAddress, sourceLibrary } from '../../shared/sources/other-source.ts'
import type { TeamspaceCaller } from '../access/caller.ts'
import type { RateLimits } from '../access/rate-limits.ts'
import type { Teamspaces } from '../access/teamspaces.ts'
import { mayKnow } from '../access/visibility.ts'
import type { CatalogRecord } from '../catalog/catalog-record.ts'
import type { OptOuts } from '../takedown/opt-outs.ts'
import { requirePrivate } from './add-for-teamspace.ts'
import { type RegisterLibraryPorts, registerLibrary, rejectServed } from './register-library.ts'

export type AddSourcePorts = RegisterLibraryPorts & {
  teamspaces: Pick<Teamspaces, 'get' | 'own'>
  optOuts: Pick<OptOuts, 'find'>
  rateLimits: Pick<RateLimits, 'add'>
}

type NewSource = {
  source: OtherSource
  /** That of the source if absent. */
  id?: LibraryId
  /** The name of private sources of its kind, such as uploaded files. Undefined for a public one. */
  privateAs?: string
  /** Asks the host for the source, if it can be asked. Throws if there is none. */
  probe?(): Promise<void>
  /** True if a source that exists is replaced by this one. */
  replaces?: boolean
  requestId: string | undefined
}

/**
 * Adds a library whose source is no repository. It is in the teamspace's list from then on, also if it exists; a private one belongs to the
 * teamspace. Throws forbidden, duplicate_repo, rate_limit_exceeded and what the probe throws.
 */
export async function addSource(
  ports: AddSourcePorts,
  caller: TeamspaceCaller,
  { source, id = sourceLibrary(source), privateAs, probe, replaces = false, requestId }: NewSource,
): Promise<{ project: string }> {
  const { teamspace } = caller
  const isPrivate = privateAs !== undefined
  if (isPrivate) await requirePrivate(ports, caller, privateAs)
  const list = () => ports.teamspaces.own(teamspace, libraryKey(id), 'added')
  return ports.rateLimits.add(caller, async () => {
    const [existing, optOut] = await Promise.all([ports.catalog.record(id), ports.optOuts.find(libraryKey(id))])
    const isKnown = ({ library }: CatalogRecord) => mayKnow(caller, library)
    if (existing && !isKnown(existing)) throw notAvailable(source)
    if (existing) rejectOther(existing, source)
    if (!replaces)
      await rejectServed(ports, existing, existsAdvice(source)).catch(async (error: unknown) => {
        await list()
        throw error
      })
    if (optOut && !isPrivate)
      throw new AppError('forbidden', `${printLibraryId(id)} cannot be added: the operator of this service does not allow it.`)
    await probe?.()
    const project = await registerLibrary(ports, {
      library: {
        id,
        sourceUrl: sourceAddress(source),
        settings: { source },
        private: isPrivate,
        teamspace: isPrivate ? teamspace : undefined,
      },
      request: { source, force: replaces },
      isKnown,
      hiddenError: notAvailable(source),
      requestId,
    })
    if (!isPrivate) await list()
    return { project }
  })
}

/** Throws duplicate_repo if the id belongs to another source. */
function rejectOther({ id, sourceUrl, addedFrom }: CatalogRecord, source: OtherSource): void {
  const url = sourceAddress(source)
  if ([sourceUrl, addedFrom].some((known) => known.toLowerCase() === url.toLowerCase())) return
  throw new AppError('duplicate_repo', `${id} already exists, from ${sourceUrl}. ${url} would have the same id.`)
}

const existsAdvice = ({ kind }: OtherSource): string =>
  kind === 'openapi-upload' ? 'Send force with the value "true" to replace its file.' : 'Refresh it instead.'

/** The same as for a repository whose id is hidden from the caller. */
const notAvailable = ({ url }: OtherSource): AppError =>
  new AppError('not_found', `${url} cannot be added: its id is not available.`)
