import type { Context } from 'hono'
import type { AddLibraryRoutesPorts } from '../../shared/api/add-library.ts'
import { AppError } from '../../shared/errors.ts'
import { requestIdOf } from '../../shared/http/log-requests.ts'
import { type Caller, type CallerEnv, requireScope } from '../access/caller.ts'
import type { RateLimits } from '../access/rate-limits.ts'
import { knownLibrary, mayKnow, owns } from '../access/visibility.ts'
import type { CatalogRecord } from '../catalog/catalog-record.ts'
import { type AddLibraryPorts, addLibrary } from './add-library.ts'
import { type RefreshLibraryPorts, refreshLibrary } from './refresh-library.ts'

/** Adds and refreshes libraries for the key of a teamspace. */
export const addPorts = (
  ports: AddLibraryPorts & RefreshLibraryPorts & { rateLimits: Pick<RateLimits, 'add'> },
): AddLibraryRoutesPorts => ({
  async add({ docsRepoUrl, private: isPrivate }, platform, c: Context<CallerEnv>) {
    if (isPrivate)
      throw new AppError('forbidden', 'Private repositories are added on the command line, with "hosted add --private".')
    const caller = c.get('caller')
    const requestId = requestIdOf(c)
    return ports.rateLimits.add(caller, () =>
      addLibrary(ports, { repoUrl: docsRepoUrl, platform, isPrivate: false, requestId }, ({ library }) =>
        mayKnow(caller, library),
      ),
    )
  },
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
