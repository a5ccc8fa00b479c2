import type { Context } from 'hono'
import type { AddPorts } from '../../shared/api/add-library.ts'
import { AppError } from '../../shared/errors.ts'
import { keyPrefixes } from '../../shared/keys/api-key.ts'
import { parseLibraryId } from '../../shared/library.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import type { CallerEnv } from '../access/caller.ts'
import type { App } from '../app.ts'
import { enqueueRefresh } from '../jobs/enqueue-parse.ts'
import { hidePrivate } from './hide-private.ts'
import { enqueueFor } from './parse.ts'

/** What clients of the public API may add and have read again, as `/api/parse` and a project's refresh do. */
export const addPorts = (app: App): AddPorts => ({
  async add({ docsRepoUrl }, platform, c: Context<CallerEnv>) {
    const caller = c.get('caller')
    const { id } = parseRepoUrl(docsRepoUrl, app.gitHosts(), platform)
    const held = caller.holder && app.catalog.find(id)
    if (held && !held.imported)
      throw new AppError('duplicate_repo', `${held.id} is here already; refresh it to have it read again.`)
    return enqueueFor(app, caller, { repoUrl: docsRepoUrl, force: false })
  },
  async refresh({ libraryName, branch }, c: Context<CallerEnv>) {
    const id = parseLibraryId(libraryName)
    const caller = c.get('caller')
    const anonymous = caller.holder === undefined
    if (branch !== undefined && anonymous) throw keyNeeded()
    return hidePrivate(app, caller, id, () => enqueueRefresh(app, id, anonymous, branch))
  },
})

const keyNeeded = (): AppError =>
  new AppError(
    'forbidden',
    `The branch of a library requires a key of this install, "Authorization: Bearer ${keyPrefixes.onprem}…"; omit the branch to refresh the library.`,
  )
