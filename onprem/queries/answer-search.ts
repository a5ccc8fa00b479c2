import { AppError } from '../../shared/errors.ts'
import type { License } from '../../shared/keys/license.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { Catalog, ListedLibrary } from '../../shared/search/libraries/catalog.ts'
import { librariesByName } from '../../shared/search/libraries/libraries-by-name.ts'
import type { FoundLibrary } from '../../shared/search/libraries/rank-libraries.ts'
import {
  type FoundLibraries,
  maxQueryChars,
  noMatchYet,
  type SearchQuery,
  searchLibraries,
} from '../../shared/search/libraries/search-libraries.ts'
import type { QuestionQueue } from '../../shared/search/question/question-queue.ts'
import { excerpt } from '../../shared/text/excerpt.ts'
import type { RequestUsage } from '../../shared/usage/record-usage.ts'
import { expired } from '../access/resolve-license.ts'
import type { Cloud } from '../cloud/cloud.ts'
import { hostedSurface } from '../cloud/hosted-client.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { isLocal, type LocalPorts } from './is-local.ts'
import { type UnservedPorts, unservedText } from './unserved-text.ts'

type SearchPorts = LocalPorts &
  UnservedPorts & {
    catalog: Pick<Catalog, 'listed'>
    jobs: Pick<JobStore, 'unserved'>
    cloud: Pick<Cloud, 'isEnabled' | 'isOpen' | 'search'>
    license: License
    questions: Pick<QuestionQueue, 'run'>
  }

type SearchInput = Pick<SearchQuery, 'libraryName' | 'query'> & Partial<Pick<SearchQuery, 'fast'>>

/** Libraries without content that one message names. */
const maxUnserved = 3

/** The libraries that a name may mean: those of this install first, then those of the hosted service if the license includes it. Throws no_libraries_found. */
export async function answerSearch(
  ports: SearchPorts,
  input: SearchInput,
  usage: RequestUsage | undefined,
  signal: AbortSignal,
): Promise<FoundLibraries> {
  const { cloud, license, questions } = ports
  const searchHere = (options?: Parameters<typeof searchLibraries>[2]) =>
    questions
      .run(() => searchLibraries(ports, input, options), signal)
      .catch((error: unknown) => {
        throw withUnserved(ports, input.libraryName, error)
      })
  if (!cloud.isEnabled()) return searchHere()
  const { libraryName, query, fast = 'false' } = input
  const question = { libraryName, fast, ...(query === undefined ? {} : { query: query.slice(0, maxQueryChars) }) }
  const [local, hosted] = await Promise.all([
    searchHere({ isPartial: true }).catch(noneFound),
    cloud.isOpen() ? cloud.search(question, hostedSurface(usage), signal) : { unavailable: expired(license) },
  ])
  if ('unavailable' in hosted) {
    if (local instanceof AppError) throw withSentence(local, `Only this install was searched: ${hosted.unavailable.message}`)
    return { ...local, hosted: 'unavailable' }
  }
  const own = local instanceof AppError ? { results: [], searchFilterApplied: false } : local
  const remote = { results: hosted.libraries, searchFilterApplied: hosted.searchFilterApplied }
  const mergedLibraries = mergeLibraries(own, remote, ({ id }) => isLocal(ports, parseLibraryId(id)))
  if (mergedLibraries.results.length > 0) return { ...mergedLibraries, hosted: 'answered' }
  if (local instanceof AppError && !mergedLibraries.searchFilterApplied)
    throw withSentence(local, 'The hosted service has no match either.')
  throw withheld(libraryName)
}

const noneFound = (error: unknown): AppError => {
  if (error instanceof AppError && error.code === 'no_libraries_found') return error
  throw error
}

/** Adds the matching libraries that have no content yet, with their progress or the reason of their failure. */
function withUnserved(ports: UnservedPorts & { jobs: Pick<JobStore, 'unserved'> }, libraryName: string, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'no_libraries_found') return error
  const { unserved } = ports.jobs
  const named = librariesByName(unserved.list(), libraryName).slice(0, maxUnserved)
  const texts = named.flatMap(({ key }) => unserved.find(key) ?? []).map((each) => unservedText(ports, each))
  return texts.length === 0 ? error : noMatchYet(libraryName, texts, error)
}

const withSentence = (local: AppError, sentence: string): AppError =>
  new AppError('no_libraries_found', `${local.message} ${sentence}`, { fields: local.fields })

const withheld = (name: string): AppError =>
  new AppError(
    'no_libraries_found',
    `No library that matches "${excerpt(name, 60)}" is allowed by the policy of this install. An admin can add an exception.`,
    { fields: { searchFilterApplied: true } },
  )

const maxResults = 30
/** Places that are reserved for hosted libraries if many local ones match. */
const reservedPlaces = 10

type Found = Omit<FoundLibraries, 'hosted'>

const isExact = ({ exact }: FoundLibrary): boolean => exact !== false

/** Local libraries first, then those of the hosted service that are not local; but exact ones before others. */
function mergeLibraries(local: Found, hosted: Found, isLocal: (library: ListedLibrary) => boolean): Found {
  const others = hosted.results.filter((library) => !isLocal(library))
  const own = local.results.slice(0, maxResults - Math.min(reservedPlaces, others.length))
  return {
    results: [...own, ...others].sort((a, b) => Number(isExact(b)) - Number(isExact(a))).slice(0, maxResults),
    searchFilterApplied: local.searchFilterApplied || hosted.searchFilterApplied,
  }
}
