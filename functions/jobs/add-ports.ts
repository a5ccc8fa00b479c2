import type { Context } from 'hono'
import type { AddPorts } from '../../shared/api/add-library.ts'
import { AppError } from '../../shared/errors.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { CallerEnv } from '../access/caller.ts'
import { mayKnow, owns } from '../access/visibility.ts'
import type { Hosted } from '../hosted.ts'
import { unknownLibrary } from '../queries/ask.ts'
import { addLibrary, refreshLibrary } from './add-library.ts'

/** What keys of teamspaces may add and have read again. */
export const addPorts = (hosted: Hosted): AddPorts => ({
  async add({ docsRepoUrl, private: isPrivate }, platform, c: Context<CallerEnv>) {
    if (isPrivate) throw new AppError('forbidden', 'A private repository is added on the command line: hosted add --private.')
    return addLibrary(hosted, { repoUrl: docsRepoUrl, platform, isPrivate: false }, ({ library }) =>
      mayKnow(c.get('caller'), library),
    )
  },
  async refresh({ libraryName, branch }, c: Context<CallerEnv>) {
    const id = parseLibraryId(libraryName)
    const record = await hosted.catalog.record(id)
    const caller = c.get('caller')
    if (!record || !mayKnow(caller, record.library)) throw unknownLibrary(id)
    if (branch !== undefined && !owns(caller, record)) throw notOwner(record.library.id)
    return refreshLibrary(hosted, id, branch)
  },
})

const notOwner = (library: string): AppError =>
  new AppError(
    'forbidden',
    `Only the teamspace that owns ${library} chooses its branch; leave the branch out to have it read again.`,
  )
