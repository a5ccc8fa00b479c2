import { AppError } from '../../shared/errors.ts'
import { keyPrefixes } from '../../shared/keys/api-key.ts'
import { type LibraryId, libraryKey, shownId } from '../../shared/library.ts'
import { type Caller, mayRead } from '../access/caller.ts'
import type { App } from '../app.ts'

/**
 * Does what a switch opens to everyone. To a caller who may see no names, a library that is not here and one that is not public
 * look alike: invalid_api_key, without an address or a tag.
 */
export async function hidePrivate<Answer>(
  app: Pick<App, 'settings' | 'catalog' | 'jobs'>,
  caller: Caller,
  id: LibraryId,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (mayRead(app, caller)) return work()
  // Before any host is asked: the time that an answer takes would tell the two apart.
  if (!isPublic(app, id)) throw keptBack(id)
  return work().catch((error: unknown) => Promise.reject(untelling(error, id)))
}

/** Of a library without content it is known only if an anonymous caller has queued it. */
function isPublic({ catalog, jobs }: Pick<App, 'catalog' | 'jobs'>, id: LibraryId): boolean {
  const project = catalog.find(id)
  return project ? !project.private : jobs.unserved.find(libraryKey(id))?.isPublic === true
}

function untelling(error: unknown, id: LibraryId): unknown {
  if (!(error instanceof AppError) || error.code === 'job_active' || error.code === 'internal_error') return error
  if (error.code !== 'timeout') return keptBack(id, error)
  return new AppError('timeout', `The host of ${shownId(id)} cannot be looked at now. Try again later.`, { cause: error })
}

const keptBack = (id: LibraryId, cause?: AppError) =>
  new AppError(
    'invalid_api_key',
    `${shownId(id)} is not in this install or not open to everyone: send a key of this install, "Authorization: Bearer ${keyPrefixes.onprem}…".`,
    { cause },
  )
