import { AppError } from '../../shared/errors.ts'
import { type LibraryId, parseLibraryId, printLibraryId } from '../../shared/library.ts'
import { projectFileNames } from '../../shared/reading/discover/read-project-file.ts'
import type { TeamspaceCaller } from '../access/caller.ts'
import type { Teamspaces } from '../access/teamspaces.ts'
import { knownLibrary, notOwned, ownedLibrary } from '../access/visibility.ts'
import type { CatalogRecord } from '../catalog/catalog-record.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import { type CheckProjectFilePorts, checkProjectFile } from './check-project-file.ts'
import type { Claims } from './claims.ts'

export type ClaimPorts = CheckProjectFilePorts & {
  catalog: Pick<HostedCatalog, 'record' | 'changeOwner'>
  claims: Claims
  teamspaces: Pick<Teamspaces, 'get' | 'own' | 'disown' | 'owned'>
  publishNames(): Promise<void>
  /** The public address of the service, which the project file names. */
  serviceUrl: string
}

/** The fields that the project file of the default branch must have. `file` is its name. */
export type OpenClaim = { url: string; publicKey: string; expiresAt: string; file: string }

/** Starts or renews a claim. Throws library_not_found, forbidden if another teamspace owns the library. */
export async function beginClaim(ports: ClaimPorts, caller: TeamspaceCaller, id: LibraryId): Promise<OpenClaim> {
  const record = await claimable(ports, caller, id)
  const claim = await ports.claims.begin(record.key, caller.teamspace)
  return { url: urlOf(ports, record), ...claim, file: projectFileNames[0] }
}

/**
 * Makes the teamspace the owner if the project file proves its claim. Of several that prove theirs at once, one wins. Throws
 * library_not_found, forbidden if another teamspace owns the library, not_configured, team_not_found, provider_unavailable, timeout.
 */
export async function verifyClaim(ports: ClaimPorts, caller: TeamspaceCaller, id: LibraryId): Promise<void> {
  const { catalog, claims, teamspaces } = ports
  const { teamspace } = caller
  const record = await claimable(ports, caller, id)
  if (record.teamspace === teamspace) return
  const claim = await claims.find(record.key, teamspace)
  if (claim === undefined)
    throw new AppError(
      'not_configured',
      `There is no open claim to ${record.id}. Start one, and put its key into the repository.`,
      {
        fields: { reason: 'no_claim' },
      },
    )
  const { sourceUrl, branch } = record
  await checkProjectFile(ports, { url: urlOf(ports, record), publicKey: claim.publicKey, sourceUrl, branch })
  const wasListed = (await teamspaces.owned(teamspace)).includes(record.key)
  await teamspaces.own(teamspace, record.key, 'claim')
  if (!(await catalog.changeOwner(id, undefined, teamspace))) {
    if (!wasListed) await teamspaces.disown(teamspace, record.key)
    throw ownedByOthers(record)
  }
  if ((await teamspaces.get(teamspace)) === undefined) {
    // Its deletion may have missed this library.
    await catalog.changeOwner(id, teamspace, undefined)
    throw new AppError('team_not_found', 'The teamspace was deleted meanwhile.')
  }
  await claims.end(record.key, teamspace)
  await ports.publishNames()
}

/** Leaves a public library without an owner; its settings stay. Throws library_not_found, access_denied, forbidden for a private one. */
export async function releaseLibrary(ports: ClaimPorts, caller: TeamspaceCaller, id: LibraryId): Promise<void> {
  const record = await ownedLibrary(ports.catalog, caller, id)
  if (record.library.private)
    throw new AppError('forbidden', `${record.id} is private, so it cannot be without an owner. Delete it instead.`)
  if (!(await ports.catalog.changeOwner(id, caller.teamspace, undefined))) throw notOwned(record)
  await ports.teamspaces.disown(caller.teamspace, record.key)
  await ports.publishNames()
}

async function claimable({ catalog }: ClaimPorts, caller: TeamspaceCaller, id: LibraryId): Promise<CatalogRecord> {
  const record = await knownLibrary(catalog, caller, id)
  if (record.teamspace !== undefined && record.teamspace !== caller.teamspace) throw ownedByOthers(record)
  return record
}

function urlOf({ serviceUrl }: ClaimPorts, { id }: CatalogRecord): string {
  const { owner, repo } = parseLibraryId(id)
  return `${serviceUrl}${printLibraryId({ owner, repo })}`
}

const ownedByOthers = ({ id }: CatalogRecord): AppError =>
  new AppError('forbidden', `${id} is owned by another teamspace. Ask its owner to release it, or the operator of the service.`)
