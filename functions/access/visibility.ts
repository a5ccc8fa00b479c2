import { AppError } from '../../shared/errors.ts'
import { type LibraryId, shownId } from '../../shared/library.ts'
import { allowedBy } from '../../shared/policy/allowed-by.ts'
import type { GovernedLibrary } from '../../shared/policy/governed-library.ts'
import type { SearchScope } from '../../shared/search/libraries/search-libraries.ts'
import type { CatalogRecord } from '../catalog/catalog-record.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { Caller, TeamspaceCaller } from './caller.ts'
import type { Licenses } from './licenses.ts'
import type { TeamPolicies } from './team-policies.ts'

export type Viewer = { kind: 'anonymous' | 'license' } | { kind: 'teamspace'; teamspace: string }

/**
 * True if a caller may know that a library exists. A license opens no private library, even if it names the teamspace that owns
 * it.
 */
export const mayKnow = (caller: Viewer, { privateTo }: Pick<GovernedLibrary, 'privateTo'>): boolean =>
  privateTo === undefined || (caller.kind === 'teamspace' && caller.teamspace === privateTo)

/** True for a key of the teamspace that owns the library. */
export const owns = (caller: Caller, { teamspace }: { teamspace?: string }): boolean =>
  caller.kind === 'teamspace' && caller.teamspace === teamspace

export type ViewPorts = {
  licenses: Pick<Licenses, 'policy'>
  teamPolicies: Pick<TeamPolicies, 'guidance'>
  now(): Date
}

/**
 * The libraries that a caller finds: public ones, private ones of its teamspace, and only those that the policy of its teamspace or license
 * allows.
 */
export async function viewOf(ports: ViewPorts, caller: Caller): Promise<SearchScope> {
  switch (caller.kind) {
    case 'anonymous':
      return {}
    case 'teamspace': {
      const { policy } = await ports.teamPolicies.guidance(caller.teamspace)
      return { teamspace: caller.teamspace, ...(policy && { allows: allowedBy(policy, ports.now()) }) }
    }
    case 'license':
      return { allows: allowedBy(await ports.licenses.policy(caller.license.id), ports.now()) }
  }
}

/** The record of a library that a caller may know of. Throws library_not_found, in the same words for a hidden and a missing library. */
export async function knownLibrary(
  catalog: Pick<HostedCatalog, 'record'>,
  caller: Caller,
  { owner, repo }: LibraryId,
): Promise<CatalogRecord> {
  const record = await catalog.record({ owner, repo })
  if (record && mayKnow(caller, record.library)) return record
  throw new AppError(
    'library_not_found',
    `There is no ${shownId({ owner, repo })} here, or none that you may see. Search for its name, or send the key of its teamspace.`,
  )
}

/** The record of a library of the caller's teamspace. Throws library_not_found (missing or hidden), access_denied. */
export async function ownedLibrary(
  catalog: Pick<HostedCatalog, 'record'>,
  caller: TeamspaceCaller,
  id: LibraryId,
): Promise<CatalogRecord> {
  const record = await knownLibrary(catalog, caller, id)
  if (!owns(caller, record)) throw notOwned(record)
  return record
}

export const notOwned = ({ id }: CatalogRecord): AppError =>
  new AppError('access_denied', `${id} is not owned by this teamspace. An admin can claim it.`)
