import type { Context } from 'hono'
import type { AddLibraryRoutesPorts } from '../../shared/api/add-library.ts'
import { AppError } from '../../shared/errors.ts'
import type { CallerEnv } from '../access/caller.ts'
import { knownLibrary, mayKnow, owns } from '../access/visibility.ts'
import { type AddLibraryPorts, addLibrary } from './add-library.ts'
import { type RefreshLibraryPorts, refreshLibrary } from './refresh-library.ts'

/** Adds and refreshes libraries for the key of a teamspace. */
export const addPorts = (ports: AddLibraryPorts & RefreshLibraryPorts): AddLibraryRoutesPorts => ({
  async add({ docsRepoUrl, private: isPrivate }, platform, c: Context<CallerEnv>) {
    if (isPrivate)
      throw new AppError('forbidden', 'Private repositories are added on the command line, with "hosted add --private".')
    return addLibrary(ports, { repoUrl: docsRepoUrl, platform, isPrivate: false }, ({ library }) =>
      mayKnow(c.get('caller'), library),
    )
  },
  async refresh({ libraryName: id, branch }, c: Context<CallerEnv>) {
    const caller = c.get('caller')
    const record = await knownLibrary(ports.catalog, caller, id)
    if (branch !== undefined && !owns(caller, record)) throw notOwner(record.library.id)
    return refreshLibrary(ports, id, branch)
  },
})

const notOwner = (library: string): AppError =>
  new AppError(
    'forbidden',
    `Only the teamspace that owns ${library} can change its branch. Omit the branch to refresh the library.`,
  )
