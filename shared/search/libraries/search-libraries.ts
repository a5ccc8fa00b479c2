import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { shortened } from '../../text/excerpt.ts'
import { addAdvice } from './add-advice.ts'
import type { Catalog, ListedLibrary } from './catalog.ts'
import { buildLibraryIndex, type LibraryIndex } from './library-index.ts'
import { type FoundLibrary, rankLibraries } from './rank-libraries.ts'

export const SearchQuery = z.object({
  libraryName: z
    .string()
    .min(1)
    .max(500)
    .describe('Name of the library, a package name, `owner/repo`, or the address of its repository'),
  query: z
    .string()
    .optional()
    .describe('What you want to do, in plain English. Decides between libraries whose names match equally well'),
  fast: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Skips ranking by a language model. Libraries are ranked without one, so both values return the same'),
})
export type SearchQuery = z.infer<typeof SearchQuery>

export type FoundLibraries = {
  /** At most 30 results, best first. */
  results: FoundLibrary[]
  /** A policy hid some of the libraries that would have matched. */
  searchFilterApplied: boolean
  /** The result of asking the hosted service, too. Absent if it was not asked. */
  hosted?: 'answered' | 'unavailable'
}

/** The libraries that a caller may find: all public ones by default. */
export type SearchScope = {
  /** Includes the private libraries of this teamspace. */
  teamspace?: string
  /** True if the caller's policy allows a library. Called only for matches. */
  allows?(library: ListedLibrary): boolean
  /** Other libraries are searched elsewhere, so an empty catalog does not mean that there are none. */
  isPartial?: boolean
}

/** Agents also send a whole pasted error here, which says nothing more about the library. */
export const maxQueryChars = 2_000

/** The libraries that a name may mean, best first. Throws no_libraries_found. */
export async function searchLibraries(
  ports: { catalog: Pick<Catalog, 'listed'> },
  input: Pick<SearchQuery, 'libraryName' | 'query'>,
  { teamspace, allows = () => true, isPartial = false }: SearchScope = {},
): Promise<FoundLibraries> {
  const view = await currentView(ports.catalog)
  let searchFilterApplied = false
  const isAllowed = (library: ListedLibrary) => {
    const allowed = allows(library)
    if (!allowed) searchFilterApplied = true
    return allowed
  }
  const own = teamspace === undefined ? undefined : ownIndex(view, teamspace)
  const query = input.query?.slice(0, maxQueryChars)
  const results = rankLibraries(
    view.open,
    { libraryName: input.libraryName, ...(query !== undefined && { query }) },
    { own, isAllowed },
  )
  if (results.length > 0) return { results, searchFilterApplied }
  const name = shortened(input.libraryName, maxShownChars)
  if (searchFilterApplied) throw new AppError('no_libraries_found', blockedByPolicy(name), { fields: { searchFilterApplied } })
  const why = view.open.libraries.length === 0 && !own && !isPartial ? emptyCatalog : otherNames
  throw new AppError('no_libraries_found', `No library matches "${name}"${why}`)
}

/** Replaces no_libraries_found if libraries without content match. `texts` are sentences about them. */
export function noMatchYet(libraryName: string, texts: string[], { fields, message }: AppError): AppError {
  const isBlocked = fields.searchFilterApplied === true
  const first = isBlocked ? message : `No library with content matches "${shortened(libraryName, maxShownChars)}" yet.`
  return new AppError('no_libraries_found', `${first} ${texts.join(' ')}`, { fields })
}

/**
 * The indexes of one list. The private libraries of a teamspace have a separate index, so that they do not even affect the order of results for
 * other callers.
 */
type SearchView = {
  revision: number
  /** A time of `performance.now()`. */
  usedUntilMs: number
  open: LibraryIndex
  privateOf: ReadonlyMap<string, ListedLibrary[]>
  own: Map<string, LibraryIndex>
}

/** Building the index of a long list blocks the server for seconds. It may take this share of the time. */
const longBuildMs = 250
const buildShare = 0.05

/** Number of cached teamspace indexes. */
const maxOwn = 100
const maxShownChars = 60

const viewOf = new WeakMap<Pick<Catalog, 'listed'>, SearchView>()

async function currentView(catalog: Pick<Catalog, 'listed'>): Promise<SearchView> {
  const { libraries, revision } = await catalog.listed()
  const cached = viewOf.get(catalog)
  const beganMs = performance.now()
  if (cached && (cached.revision === revision || beganMs < cached.usedUntilMs)) return cached
  const privateOf = new Map<string, ListedLibrary[]>()
  const open = libraries.filter((library) => {
    if (library.privateTo === undefined) return true
    const list = privateOf.get(library.privateTo)
    if (list) list.push(library)
    else privateOf.set(library.privateTo, [library])
    return false
  })
  const index = buildLibraryIndex(open)
  const builtMs = performance.now()
  const tookMs = builtMs - beganMs
  const usedUntilMs = tookMs < longBuildMs ? 0 : builtMs + tookMs / buildShare
  const view = { revision, usedUntilMs, open: index, privateOf, own: new Map() }
  viewOf.set(catalog, view)
  return view
}

function ownIndex({ privateOf, own }: SearchView, teamspace: string): LibraryIndex | undefined {
  const libraries = privateOf.get(teamspace)
  if (libraries === undefined) return undefined
  const index = own.get(teamspace) ?? buildLibraryIndex(libraries)
  own.delete(teamspace)
  own.set(teamspace, index)
  const [oldest] = own.keys()
  if (own.size > maxOwn && oldest !== undefined) own.delete(oldest)
  return index
}

const emptyCatalog = `: none has been added yet. ${addAdvice.emptyInstall}`
const otherNames = `. ${addAdvice.noMatch}`
const blockedByPolicy = (name: string): string =>
  `No library that matches "${name}" is allowed by your policy. The owner of the policy can add an exception.`
