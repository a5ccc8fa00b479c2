import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../../shared/errors.ts'
import type { Catalog, ListedLibrary } from '../../../../shared/search/libraries/catalog.ts'
import { SearchQuery, type SearchScope, searchLibraries } from '../../../../shared/search/libraries/search-libraries.ts'
import { library, shelf } from '../shelf.ts'

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

  test('returns whole libraries, and that no policy hid any', async () => {
    const zod = library('/colinhacks/zod', 'Zod')
    expect(await searchLibraries({ catalog: catalogOf([[zod]]) }, { libraryName: 'zod' })).toEqual({
      results: [zod],
      searchFilterApplied: false,
    })
  })

  test('finds a library as soon as the catalog lists it', async () => {
    const catalog = catalogOf([[], [library('/colinhacks/zod', 'Zod')]])
    await expect(searchLibraries({ catalog }, { libraryName: 'zod' })).rejects.toThrow(
      new AppError('no_libraries_found', 'No library matches "zod": none has been added yet. Add its repository.'),
    )
    expect((await searchLibraries({ catalog }, { libraryName: 'zod' })).results).toHaveLength(1)
  })

  test('suggests what to try if nothing matches, without quoting a long name in full', async () => {
    const refusal = searchLibraries({ catalog: catalogOf([shelf]) }, { libraryName: 'x1'.repeat(250) })
    await expect(refusal).rejects.toMatchObject({ code: 'no_libraries_found' })
    await expect(refusal).rejects.toThrow(
      `No library matches "${'x1'.repeat(30)}…". Try its full name, its package name or owner/repo; it may also not have been added yet.`,
    )
  })

  test('accepts 1 to 500 characters of name, and fast as true or false', () => {
    expect(SearchQuery.parse({ libraryName: 'zod' })).toEqual({ libraryName: 'zod', fast: 'false' })
    const refused = [{}, { libraryName: '' }, { libraryName: 'x'.repeat(501) }, { libraryName: 'x', fast: 'yes' }]
    expect(refused.map((query) => SearchQuery.safeParse(query).success)).toEqual([false, false, false, false])
  })
})

describe('the view of a caller', () => {
  type Shelved = ListedLibrary & { privateTo?: string }

  const find = async (libraries: Shelved[], libraryName: string, view?: SearchScope, query?: string) => {
    const catalog = { listed: async () => ({ libraries, revision: 0 }) }
    const found = await searchLibraries({ catalog }, { libraryName, query }, view)
    return { ...found, results: found.results.map(({ id }) => id) }
  }
  const privateTo = (teamspace: string, id: string, title: string, more: Partial<ListedLibrary> = {}): Shelved => ({
    ...library(id, title, more),
    privateTo: teamspace,
  })
  const widgets = (count: number, trustScore = 5) =>
    Array.from({ length: count }, (_, i) => library(`/acme/widget-${i}`, `Widget ${i}`, { trustScore }))

  test('contains the private libraries of its teamspace among the others, and none that are private to others', async () => {
    const libraries = [
      ...shelf,
      privateTo('acme', '/acme/react', 'React', { stars: 300_000 }),
      privateTo('other', '/other/react', 'React'),
      privateTo('toString', '/odd/react', 'React'),
    ]
    expect((await find(libraries, 'react', { teamspace: 'acme' })).results.slice(0, 2)).toEqual([
      '/acme/react',
      '/facebook/react',
    ])
    expect((await find(libraries, 'react', { teamspace: 'other' })).results).toContain('/other/react')
    expect((await find(libraries, 'react', { teamspace: 'third' })).results).toEqual((await find(shelf, 'react')).results)
    expect((await find(libraries, 'react', { teamspace: '__proto__' })).results).toEqual((await find(shelf, 'react')).results)
  })

  test('is the same as if the catalog had no private libraries if it has no teamspace', async () => {
    const word = fc.constantFrom('react', 'query', 'acme', 'hono', 'sqlx', 'secret', 'reactt', 'next', 'vue', 'internal')
    const words = fc.array(word, { minLength: 1, maxLength: 3 })
    const hidden = fc.array(
      fc.record({ owner: word, name: words, stars: fc.integer({ min: -1, max: 300_000 }), description: words }),
      { minLength: 1, maxLength: 8 },
    )
    const answer = (libraries: Shelved[], libraryName: string, query: string) =>
      find(libraries, libraryName, {}, query).catch((error: unknown) => String(error))
    await fc.assert(
      fc.asyncProperty(hidden, words, words, async (secrets, name, question) => {
        const mine = secrets.map(({ owner, name, stars, description }, i) =>
          privateTo('acme', `/${owner}/${name.join('-')}-${i}`, name.join(' '), { stars, description: description.join(' ') }),
        )
        const [asked, query] = [name.join(' '), question.join(' ')]
        expect(await answer([...mine, ...shelf], asked, query)).toEqual(await answer(shelf, asked, query))
      }),
    )
  })

  test('omits libraries that its policy hides, and reports it if one of them matches', async () => {
    const allows = ({ id }: ListedLibrary) => id !== '/preactjs/preact'
    expect(await find(shelf, 'preact', { allows: ({ id }) => id !== '/facebook/react' })).toEqual({
      results: ['/preactjs/preact'],
      searchFilterApplied: false,
    })
    expect(await find([...shelf, library('/x/preact', 'Preact')], 'preact', { allows })).toEqual({
      results: ['/x/preact'],
      searchFilterApplied: true,
    })
  })

  test('reports that the policy hides every match, and who can change it', async () => {
    await expect(find(shelf, 'preact', { allows: () => false })).rejects.toThrow(
      new AppError(
        'no_libraries_found',
        'No library that matches "preact" is allowed by your policy. The owner of the policy can add an exception.',
        { fields: { searchFilterApplied: true } },
      ),
    )
    await expect(find(shelf, 'zzqqxx', { allows: () => false })).rejects.toThrow('Try its full name')
  })

  test('still has thirty results if many are hidden', async () => {
    const libraries = [...widgets(100, 9), ...widgets(100, 1).map((each) => ({ ...each, id: `${each.id}-b`, stars: 250_000 }))]
    const found = await find(libraries, 'widget', { allows: ({ trustScore }) => trustScore > 5 })
    expect(found.results).toHaveLength(30)
    expect(found.results.filter((id) => id.endsWith('-b'))).toEqual([])
    expect(found.searchFilterApplied).toBe(true)
  })

  test('checks only the matches against the policy, not the whole catalog', async () => {
    let judged = 0
    const allows = () => {
      judged++
      return true
    }
    await find([...widgets(5000), library('/colinhacks/zod', 'Zod')], 'zod', { allows })
    expect(judged).toBeLessThan(20)
  })

  test('changes with the catalog', async () => {
    const lists: Shelved[][] = [[privateTo('acme', '/acme/one', 'One')], [privateTo('acme', '/acme/two', 'Two')], []]
    let revision = 0
    const catalog = { listed: async () => ({ libraries: lists[revision] ?? [], revision }) }
    const ask = (libraryName: string) => searchLibraries({ catalog }, { libraryName }, { teamspace: 'acme' })
    expect((await ask('one')).results).toHaveLength(1)
    revision = 1
    await expect(ask('one')).rejects.toThrow('Try its full name')
    expect((await ask('two')).results).toHaveLength(1)
    revision = 2
    await expect(ask('two')).rejects.toThrow('none has been added yet')
  })
})
