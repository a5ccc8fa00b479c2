import { AppError } from '../../shared/errors.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { Licenses } from '../access/licenses.ts'
import type { TeamPolicies } from '../access/team-policies.ts'
import type { Teamspaces } from '../access/teamspaces.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import { type RemoveLibraryPorts, removeLibrary } from '../jobs/remove-library.ts'

export type DeleteTeamspacePorts = RemoveLibraryPorts & {
  catalog: Pick<HostedCatalog, 'own'>
  licenses: Pick<Licenses, 'issuedTo' | 'revoke' | 'forget'>
  teamPolicies: Pick<TeamPolicies, 'forget'>
  teamspaces: Pick<Teamspaces, 'close' | 'owned' | 'forget'>
}

/**
 * Deletes a teamspace with its private libraries, keys and members; the licenses that were issued to it are revoked. Its public
 * libraries stay, without an owner. If it fails or its process dies, the teamspace has no rights any more, and another call continues.
 * Throws team_not_found, job_active.
 */
export async function deleteTeamspace(ports: DeleteTeamspacePorts, id: string): Promise<void> {
  const { catalog, licenses, teamspaces } = ports
  await teamspaces.close(id)
  for (const license of await licenses.issuedTo(id)) {
    await licenses.revoke(license)
    await licenses.forget(license, id)
  }
  for (const key of await teamspaces.owned(id)) {
    await releaseLibrary({ ...ports, catalog }, key, id)
    await teamspaces.disown(id, key)
  }
  await ports.publishNames()
  await ports.teamPolicies.forget(id)
  await teamspaces.forget(id)
}

/** Nothing to do for a library that was removed or has another owner. */
async function releaseLibrary(ports: DeleteTeamspacePorts, key: string, teamspace: string): Promise<void> {
  const id = parseLibraryId(key)
  const record = await ports.catalog.record(id)
  if (record?.teamspace !== teamspace) return
  if (record.library.private) await removeLibrary(ports, id).catch(unlessRemoved)
  else await ports.catalog.own(id, undefined)
}

function unlessRemoved(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'library_not_found') throw error
}
