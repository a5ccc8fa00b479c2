import { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { Catalog, ListedLibrary } from '../catalog.ts'
import { buildLibraryIndex, type LibraryIndex } from './library-index.ts'
import { rankLibraries } from './rank-libraries.ts'

export const SearchQuery = z.object({
  libraryName: z
    .string()
    .min(1)
    .max(500)
    .describe('Name of the library: as its makers write it, a package name, `owner/repo`, or the address of its repository'),
  query: z
    .string()
    .max(500)
    .optional()
    .describe('What you want to do, in plain English: decides between libraries whose names fit equally well'),
  fast: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Skips ranking by a language model. Libraries are ranked without one, so both values answer the same'),
})
export type SearchQuery = z.infer<typeof SearchQuery>

export type FoundLibraries = {
  /** At most 30, best first. */
  results: ListedLibrary[]
  /** A policy hid some of the libraries that would have matched. */
  searchFilterApplied: boolean
  /** What became of asking the hosted service, too; absent where it was not asked. */
  hosted?: 'answered' | 'unavailable'
}

/** What a caller may find; all that is public where nothing is said. */
export type SearchScope = {
  /** What is private to this teamspace is found, too. */
  teamspace?: string
  /** Whether the caller's policy lets a library through. Asked of what matches alone. */
  allows?(library: ListedLibrary): boolean
  /** Other libraries are searched elsewhere, so an empty catalog does not mean that there are none. */
  isPartial?: boolean
}

/** The libraries that a name may mean, best first. Throws no_libraries_found. */
export async function searchLibraries(
  ports: { catalog: Pick<Catalog, 'listed'> },
  input: Pick<SearchQuery, 'libraryName' | 'query'>,
  { teamspace, allows = () => true, isPartial = false }: SearchScope = {},
): Promise<FoundLibraries> {
  const shelves = await currentView(ports.catalog)
  let searchFilterApplied = false
  const isAllowed = (library: ListedLibrary) => {
    const allowed = allows(library)
    if (!allowed) searchFilterApplied = true
    return allowed
  }
  const own = teamspace === undefined ? undefined : ownIndex(shelves, teamspace)
  const results = rankLibraries(shelves.open, input, { own, isAllowed })
  if (results.length > 0) return { results, searchFilterApplied }
  const why = searchFilterApplied
    ? blockedByPolicy
    : shelves.open.libraries.length === 0 && !own && !isPartial
      ? noneAdded
      : tryOtherwise
  const fields = searchFilterApplied ? { searchFilterApplied } : {}
  throw new AppError('no_libraries_found', `No library matches "${shortened(input.libraryName)}"${why}`, { fields })
}

/** In place of a search's no_libraries_found, if libraries that have no content yet match; `texts` are the sentences about them. */
export function noMatchYet(libraryName: string, texts: string[], { fields, message }: AppError): AppError {
  const isKeptBack = fields.searchFilterApplied === true
  const first = isKeptBack ? message : `No library with content matches "${shortened(libraryName)}" yet.`
  return new AppError('no_libraries_found', `${first} ${texts.join(' ')}`, { fields })
}

/**
 * The indexes of one list. What is private to a teamspace stands in an index of its own, so that whoever may not know of it sees
 * no trace of it in the order of other libraries either.
 */
type SearchView = {
  revision: number
  /** By `performance.now()`. */
  usedUntilMs: number
  open: LibraryIndex
  privateOf: ReadonlyMap<string, ListedLibrary[]>
  own: Map<string, LibraryIndex>
}

/** Of a long list of libraries, building the index may take seconds, in which nobody is answered: it may take this share of the time. */
const longBuildMs = 250
const buildShare = 0.05

/** How many teamspaces' own indexes are kept. */
const maxOwn = 100

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
  const shelves = { revision, usedUntilMs, open: index, privateOf, own: new Map() }
  viewOf.set(catalog, shelves)
  return shelves
}

function ownIndex({ privateOf, own }: SearchView, teamspace: string): LibraryIndex | undefined {
  const libraries = privateOf.get(teamspace)
  if (libraries === undefined) return undefined
  const index = own.get(teamspace) ?? buildLibraryIndex(libraries)
  own.delete(teamspace)
  own.set(teamspace, index)
  const [eldest] = own.keys()
  if (own.size > maxOwn && eldest !== undefined) own.delete(eldest)
  return index
}

const shortened = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name)

const noneAdded = ': none has been added yet. Add one by parsing its repository.'
const tryOtherwise = '. Try its full name, its package name or owner/repo; it may also not have been added yet.'
const blockedByPolicy = ' and is allowed by your policy, which keeps back what does. Whoever manages the policy can except it.'
