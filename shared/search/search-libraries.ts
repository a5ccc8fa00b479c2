import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { Catalog, ListedLibrary } from './catalog.ts'
import { buildLibraryIndex, type LibraryIndex } from './names/library-index.ts'
import { rankLibraries } from './names/rank-libraries.ts'

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
}

/** The libraries that a name may mean, best first. Throws no_libraries_found. */
export async function searchLibraries(
  ports: { catalog: Catalog },
  input: Pick<SearchQuery, 'libraryName' | 'query'>,
): Promise<FoundLibraries> {
  const index = await currentIndex(ports.catalog)
  const results = rankLibraries(index, input)
  if (results.length === 0) throw new AppError('no_libraries_found', nothingFound(input.libraryName, index))
  return { results, searchFilterApplied: false }
}

const indexes = new WeakMap<Catalog, { revision: number; index: LibraryIndex }>()

async function currentIndex(catalog: Catalog): Promise<LibraryIndex> {
  const { libraries, revision } = await catalog.listed()
  const cached = indexes.get(catalog)
  if (cached?.revision === revision) return cached.index
  const index = buildLibraryIndex(libraries)
  indexes.set(catalog, { revision, index })
  return index
}

function nothingFound(libraryName: string, { libraries }: LibraryIndex): string {
  const name = libraryName.length > 60 ? `${libraryName.slice(0, 60)}…` : libraryName
  return libraries.length === 0
    ? `No library matches "${name}": none has been added yet. Add one by parsing its repository.`
    : `No library matches "${name}". Try its full name, its package name or owner/repo; it may also not have been added yet.`
}
