import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, parseLibraryId, shownId } from '../../shared/library.ts'
import type { ServedVersion } from '../../shared/search/catalog.ts'
import type { Context } from '../../shared/search/context.ts'
import { getContext } from '../../shared/search/get-context.ts'
import { type FoundLibraries, searchLibraries } from '../../shared/search/libraries/search-libraries.ts'
import type { AnsweredRequest } from '../../shared/usage/record-usage.ts'
import { topicsOf } from '../../shared/usage/topics-of.ts'
import type { Caller } from '../access/caller.ts'
import { mayKnow, viewOf } from '../access/visibility.ts'
import { type CatalogRecord, hasContent, servedVersion } from '../catalog/catalog-record.ts'
import type { Hosted } from '../hosted.ts'
import { nameUnserved } from './name-unserved.ts'

/** Who asks, and how the request looked: what usage counts. */
export type Asker = { caller: Caller; usage?: Omit<AnsweredRequest, 'library' | 'version' | 'topics'> }

/** The libraries that a name may mean, without those that the caller may not know of or that the policy of its license hides. */
export async function askSearch(
  hosted: Hosted,
  { caller }: Asker,
  query: { libraryName: string; query?: string },
  signal: AbortSignal,
): Promise<FoundLibraries> {
  const view = await viewOf(hosted, caller)
  try {
    return await hosted.questions.inTurn(() => searchLibraries({ catalog: hosted.names }, query, view), signal)
  } catch (error) {
    signal.throwIfAborted()
    throw await nameUnserved(hosted, { caller, allows: view.allows }, query.libraryName, error)
  }
}

/**
 * The best snippets of a library for a question, counted as one use of it. Throws library_not_found also for what is private to others,
 * access_denied where the policy of the caller's license hides it, and what `getContext` throws.
 */
export async function askContext(
  hosted: Hosted,
  { caller, usage }: Asker,
  query: { libraryId: string; query: string; tokens: number },
  signal: AbortSignal,
): Promise<Context> {
  const answered: { by?: ServedVersion } = {}
  const catalog = {
    async served(id: LibraryId) {
      const record = await visibleLibrary(hosted, caller, id)
      const job = hasContent(record) ? undefined : await hosted.jobs.find(record.key)
      answered.by = servedVersion(record, id, job)
      return answered.by
    },
  }
  const { snippets, questions } = hosted
  const found = await getContext({ catalog, snippets, questions }, query, signal)
  signal.throwIfAborted()
  if (answered.by && usage) {
    const { library, version } = answered.by
    await hosted.record({ ...usage, library: libraryKey(parseLibraryId(library.id)), version, topics: topicsOf(found.snippets) })
  }
  return found
}

/** Before anything is said of versions or of a parse that runs. */
async function visibleLibrary(hosted: Hosted, caller: Caller, id: LibraryId): Promise<CatalogRecord> {
  const [{ allows }, record] = await Promise.all([viewOf(hosted, caller), hosted.catalog.record(id)])
  if (!record || !mayKnow(caller, record.library)) throw unknownLibrary(id)
  if (allows && !allows(record.library)) throw denied(id)
  return record
}

/** The same for what is private to others as for what does not exist. */
export const unknownLibrary = ({ owner, repo }: LibraryId): AppError =>
  new AppError(
    'library_not_found',
    `There is no ${shownId({ owner, repo })} here, or none that you may see. Search for its name, or send the key of its teamspace.`,
  )

const denied = ({ owner, repo }: LibraryId): AppError =>
  new AppError(
    'access_denied',
    `The policy of your license does not allow ${shownId({ owner, repo })}. Whoever manages the policy can except it.`,
  )
