import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, parseLibraryId, shownId } from '../../shared/library.ts'
import type { ServedVersion } from '../../shared/search/catalog.ts'
import type { Context, RenderedContext } from '../../shared/search/context.ts'
import { type ContextQuery, getContext } from '../../shared/search/get-context.ts'
import { librariesNamed } from '../../shared/search/libraries/libraries-named.ts'
import {
  type FoundLibraries,
  noMatchYet,
  type SearchQuery,
  searchLibraries,
} from '../../shared/search/libraries/search-libraries.ts'
import { topicsOf } from '../../shared/usage/topics-of.ts'
import type { Asker } from '../access/asker.ts'
import { expired, requireLicense } from '../access/require-license.ts'
import type { App } from '../app.ts'
import type { Surface } from '../cloud/hosted-client.ts'
import { mergeLibraries } from '../cloud/merge-libraries.ts'
import { unservedText } from './unserved-text.ts'

type ContextInput = Parameters<typeof getContext>[1] & Partial<Pick<ContextQuery, 'type' | 'fast'>>
type SearchInput = Pick<SearchQuery, 'libraryName' | 'query'> & Partial<Pick<SearchQuery, 'fast'>>

/** So many libraries without content are named in one message. */
const maxUnserved = 3

/** The libraries that a name may mean: those that are here, then those of the hosted service if the license opens it. Throws no_libraries_found. */
export async function askSearch(
  app: App,
  input: SearchInput,
  asker: Asker | undefined,
  signal: AbortSignal,
): Promise<FoundLibraries> {
  const { cloud, license, questions } = app
  const searchHere = (options?: Parameters<typeof searchLibraries>[2]) =>
    questions
      .inTurn(() => searchLibraries(app, input, options), signal)
      .catch((error: unknown) => {
        throw withUnserved(app, input.libraryName, error)
      })
  if (!cloud.isMeant()) return searchHere()
  const { libraryName, query, fast = 'false' } = input
  const question = { libraryName, fast, ...(query === undefined ? {} : { query }) }
  const [local, hosted] = await Promise.all([
    searchHere({ isPartial: true }).catch(noneFound),
    cloud.isOpen() ? cloud.search(question, surfaceOf(asker), signal) : { unavailable: expired(license) },
  ])
  if ('unavailable' in hosted) {
    if (local instanceof AppError) throw withMore(local, `Only this install was searched: ${hosted.unavailable.message}`)
    return { ...local, hosted: 'unavailable' }
  }
  const own = local instanceof AppError ? { results: [], searchFilterApplied: false } : local
  const there = { results: hosted.libraries, searchFilterApplied: hosted.searchFilterApplied }
  const found = mergeLibraries(own, there, ({ id }) => isLocal(app, parseLibraryId(id)))
  if (found.results.length > 0) return { ...found, hosted: 'answered' }
  if (local instanceof AppError && !found.searchFilterApplied) throw withMore(local, 'The hosted service has no match either.')
  throw keptBack(libraryName)
}

/**
 * The best snippets of a library for a question. One that is here answers itself, which is counted as one use of it; any other is asked
 * of the hosted service where the license opens that. Throws what `getContext` and the hosted service throw, and forbidden where the license
 * has expired that would have opened it.
 */
export async function askContext(
  app: App,
  input: ContextInput,
  asker: Asker | undefined,
  signal: AbortSignal,
): Promise<Context | RenderedContext> {
  const id = parseLibraryId(input.libraryId)
  if (app.cloud.isMeant() && !isLocal(app, id)) {
    requireLicense(app)
    const { query, tokens, type = 'txt', fast = 'false' } = input
    const asked = app.cloud.context(id, { query, tokens, type, fast }, surfaceOf(asker), signal)
    const found = await asked.catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'library_not_found' ? nowhere(app, id, error) : error
    })
    return { ...found, hosted: 'answered' }
  }
  const answered: { by?: ServedVersion } = {}
  const catalog = {
    async served(id: LibraryId) {
      const unserved = app.jobs.unserved.find(libraryKey(id))
      if (unserved) throw new AppError('library_not_found', unservedText(app, unserved))
      answered.by = await app.catalog.served(id)
      return answered.by
    },
  }
  const found = await getContext({ ...app, catalog }, input, signal)
  signal.throwIfAborted()
  if (answered.by && asker) {
    const { library, version } = answered.by
    await app.usage.record({
      ...asker,
      library: libraryKey(parseLibraryId(library.id)),
      version,
      topics: topicsOf(found.snippets),
    })
  }
  return found
}

/** A library whose first parse is under way is one of this install, too. */
const isLocal = ({ catalog, jobs }: Pick<App, 'catalog' | 'jobs'>, id: LibraryId): boolean =>
  catalog.find(id) !== undefined || jobs.activeOf(libraryKey(id)) !== undefined

/** The hosted service counts the use of its libraries by surface and client; of who asks here it learns nothing. */
const surfaceOf = (asker: Asker | undefined): Surface => {
  if (asker === undefined || asker.surface === 'txt') return {}
  const source = asker.surface === 'page' ? 'web' : asker.surface
  return asker.surface === 'mcp' && asker.client !== undefined ? { source, client: asker.client } : { source }
}

const noneFound = (error: unknown): AppError => {
  if (error instanceof AppError && error.code === 'no_libraries_found') return error
  throw error
}

/** Says of libraries that the name may mean, but that have no content yet, how far they are or why they failed. */
function withUnserved(app: Pick<App, 'jobs' | 'settings'>, libraryName: string, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'no_libraries_found') return error
  const named = librariesNamed(app.jobs.unserved.list(), libraryName).slice(0, maxUnserved)
  const texts = named.flatMap(({ key }) => app.jobs.unserved.find(key) ?? []).map((each) => unservedText(app, each))
  return texts.length === 0 ? error : noMatchYet(libraryName, texts, error)
}

const withMore = (local: AppError, sentence: string): AppError =>
  new AppError('no_libraries_found', `${local.message} ${sentence}`, { fields: local.fields })

const keptBack = (name: string): AppError =>
  new AppError(
    'no_libraries_found',
    `No library matches "${name.slice(0, 60)}" and is allowed by the policy of this install, which keeps back what does. An admin can except it.`,
    { fields: { searchFilterApplied: true } },
  )

function nowhere(app: Pick<App, 'jobs' | 'settings'>, id: LibraryId, cause: AppError): AppError {
  const failed = app.jobs.unserved.find(libraryKey(id))
  const here = failed
    ? unservedText(app, failed)
    : `${shownId({ owner: id.owner, repo: id.repo })} is neither in this install nor at the hosted service. Search for its name, or add it by parsing its repository.`
  return new AppError('library_not_found', `${here} The hosted service says: ${cause.message}`, { cause })
}
