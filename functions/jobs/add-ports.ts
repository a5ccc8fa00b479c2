import type { Context } from 'hono'
import type { AddLibraryRoutesPorts } from '../../shared/api/add-library.ts'
import { AppError } from '../../shared/errors.ts'
import { requestIdOf } from '../../shared/http/log-requests.ts'
import { type Caller, type CallerEnv, requireScope, teamspaceCaller } from '../access/caller.ts'
import { knownLibrary, owns } from '../access/visibility.ts'
import type { CatalogRecord } from '../catalog/catalog-record.ts'
import { type AddForTeamspacePorts, addForTeamspace } from './add-for-teamspace.ts'
import { type RefreshLibraryPorts, refreshLibrary } from './refresh-library.ts'

/** Adds and refreshes libraries for the key of a teamspace. */
export const addPorts = (ports: AddForTeamspacePorts & RefreshLibraryPorts): AddLibraryRoutesPorts => ({
  add: ({ docsRepoUrl, private: isPrivate = false }, source, c: Context<CallerEnv>) =>
    addForTeamspace(ports, teamspaceCaller(c.get('caller')), {
      repoUrl: docsRepoUrl,
      source,
      isPrivate,
      requestId: requestIdOf(c),
    }),
  async refresh({ libraryName: id, branch }, c: Context<CallerEnv>) {
    const caller = c.get('caller')
    const record = await knownLibrary(ports.catalog, caller, id)
    if (branch !== undefined) requireAdmin(caller, record)
    return ports.rateLimits.add(caller, () => refreshLibrary(ports, id, branch, requestIdOf(c)))
  },
})

/** Its branch is a setting of the library. Throws forbidden. */
function requireAdmin(caller: Caller, record: CatalogRecord): void {
  if (!owns(caller, record) || caller.kind !== 'teamspace') throw notOwner(record.library.id)
  requireScope(caller, 'admin')
}

const notOwner = (library: string): AppError =>
  new AppError(
    'forbidden',
    `Only the teamspace that owns ${library} can change its branch. Omit the branch to refresh the library.`,
  )
