import { describe, expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import type { Catalog, ListedLibrary } from '../../../shared/search/catalog.ts'
import { SearchQuery, searchLibraries } from '../../../shared/search/search-libraries.ts'
import { library, shelf } from './shelf.ts'

describe('searchLibraries', () => {
  const catalogOf = (lists: ListedLibrary[][]): Catalog => {
    let asked = 0
    return {
      listed: async () => {
        const revision = Math.min(asked++, lists.length - 1)
        return { libraries: lists[revision] ?? [], revision }
      },
      served: async () => {
        throw new AppError('library_not_found', 'not part of this test')
      },
    }
  }

  test('answers whole libraries, and says that no policy hid any', async () => {
    const zod = library('/colinhacks/zod', 'Zod')
    expect(await searchLibraries({ catalog: catalogOf([[zod]]) }, { libraryName: 'zod' })).toEqual({
      results: [zod],
      searchFilterApplied: false,
    })
  })

  test('sees a library as soon as the catalog lists it', async () => {
    const catalog = catalogOf([[], [library('/colinhacks/zod', 'Zod')]])
    await expect(searchLibraries({ catalog }, { libraryName: 'zod' })).rejects.toThrow(
      new AppError('no_libraries_found', 'No library matches "zod": none has been added yet. Add one by parsing its repository.'),
    )
    expect((await searchLibraries({ catalog }, { libraryName: 'zod' })).results).toHaveLength(1)
  })

  test('says what to try when nothing matches, without repeating a long name in full', async () => {
    const refusal = searchLibraries({ catalog: catalogOf([shelf]) }, { libraryName: 'x1'.repeat(250) })
    await expect(refusal).rejects.toMatchObject({ code: 'no_libraries_found', status: 404 })
    await expect(refusal).rejects.toThrow(
      `No library matches "${'x1'.repeat(30)}…". Try its full name, its package name or owner/repo; it may also not have been added yet.`,
    )
  })

  test('takes 1 to 500 characters of name, up to 500 of question, and fast as true or false', () => {
    expect(SearchQuery.parse({ libraryName: 'zod' })).toEqual({ libraryName: 'zod', fast: 'false' })
    const refused = [
      {},
      { libraryName: '' },
      { libraryName: 'x'.repeat(501) },
      { libraryName: 'x', query: 'x'.repeat(501) },
      { libraryName: 'x', fast: 'yes' },
    ]
    expect(refused.map((query) => SearchQuery.safeParse(query).success)).toEqual([false, false, false, false, false])
  })
})
