import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SnippetRow, SnippetStore, StoredSnippet } from '../../shared/search/rows/snippet-store.ts'
import { packStatistics } from '../../shared/search/statistics/pack-statistics.ts'
import { statisticsBuilder } from '../../shared/search/statistics/statistics-builder.ts'
import { failure } from '../fixtures/failure.ts'
import { pageCounts } from '../fixtures/page-counts.ts'
import { row } from './snippet-row.ts'

export type OpenedStore = { store: SnippetStore; close(): Promise<void> }

/** Writes one generation whose statistics have each term once. */
export async function writeGeneration(store: SnippetStore, generation: string, rows: SnippetRow[]): Promise<void> {
  const writer = await store.write(generation)
  await writer.add(rows)
  const statistics = statisticsBuilder()
  const terms = new Set(rows.flatMap((each) => each.terms.split(' ')))
  const counts = [...terms].map((term): [string, number, number] => [term, 1, 1])
  statistics.add(pageCounts(counts, { chunks: rows.length, topics: ['section'] }))
  await writer.finish(packStatistics(statistics.total()))
}

const any = (...terms: string[]) => terms.map((term) => ({ term, weight: 1 }))

export async function allOf<Row extends StoredSnippet>(batches: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of batches) rows.push(...batch)
  return rows
}

/** Tests that every `SnippetStore` must pass. */
export function snippetStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`snippets in ${name}`, () => {
    let opened: OpenedStore
    let store: SnippetStore
    beforeEach(async () => {
      opened = await open()
      store = opened.store
    })
    afterEach(() => opened.close())

    test('are found by any of the terms, complete, best first', async () => {
      const rows = [row('a', 'lever wheel'), row('b', 'lever wheel pulley'), row('c', 'spring')]
      await writeGeneration(store, 'g1', rows)
      expect(await store.search('g1', any('pulley', 'wheel'), 10)).toEqual([rows[1], rows[0]])
      expect(await store.search('g1', any('pulley', 'wheel'), 1)).toEqual([rows[1]])
      expect(await store.search('g1', any('absent'), 10)).toEqual([])
      expect(await store.search('g1', [], 10)).toEqual([])
    })

    test('have their word vector and the way to the code of their section, if they were written with them', async () => {
      const rows = [row('a', 'lever', { wordVector: Int8Array.of(1, -128, 127) }), row('b', 'pulley', { toCode: -2 })]
      await writeGeneration(store, 'g1', rows)
      expect(await store.search('g1', any('lever'), 1)).toEqual([rows[0]])
      expect(await allOf(store.read('g1'))).toEqual(rows)
    })

    test('have the language of their documentation, their other pages and the page that includes them', async () => {
      const placed = { docsLanguage: 'de', alsoOn: ['https://example.com/b'], includedBy: 'docs/all.md' }
      const rows = [row('a', 'lever', placed), row('b', 'lever', { page: 1, docsLanguage: '', alsoOn: [] })]
      await writeGeneration(store, 'g1', rows)
      const { docsLanguage: _, alsoOn: __, ...plain } = rows[1] as SnippetRow
      expect(await allOf(store.read('g1'))).toEqual([rows[0], plain])
      expect((await store.pages('g1'))?.map(({ path }) => path)).toEqual(['docs/all.md', 'docs/page.md'])
    })

    test('are on a page that has its own address and the paths of the files that it includes', async () => {
      const at = (place: number, path: string) =>
        `https://example.com/o/r/blob/0123456789abcdef/${encodeURIComponent(path)}#L${place}`
      const own = { path: 'all.adoc', page: 0 }
      const part = (path: string) => ({ path, page: 0, includedBy: 'all.adoc' })
      await writeGeneration(store, 'g1', [
        row('0-0', 'lever', { ...part('a b.adoc'), url: at(1, 'a b.adoc') }),
        row('0-1', 'lever', { ...own, url: at(2, 'all.adoc') }),
        row('0-2', 'lever', { ...part('c.adoc'), url: at(3, 'c.adoc') }),
        row('0-3', 'lever', { ...part('c.adoc'), url: at(4, 'c.adoc') }),
      ])
      const [page] = (await store.pages('g1')) ?? []
      expect(page).toMatchObject({
        path: 'all.adoc',
        url: at(2, 'all.adoc').replace(/#.*/, ''),
        includes: ['a b.adoc', 'c.adoc'],
      })
    })

    test('are returned in their order in the library if they have equal scores, in whichever order they were written', async () => {
      const rows = Array.from({ length: 60 }, (_, n) =>
        row(`${Math.floor(n / 20)}-${n % 20}`, 'lever', { page: Math.floor(n / 20) }),
      )
      const better = row('9-0', 'lever lever', { page: 9 })
      const shuffled = rows.toSorted((a, b) => (a.id.endsWith('7') ? -1 : b.id < a.id ? -1 : 1))
      await writeGeneration(store, 'g1', [...shuffled, better])
      for (const limit of [3, 30, 55])
        expect((await store.search('g1', any('lever'), limit))?.map(({ id }) => id)).toEqual(
          [better, ...rows].slice(0, limit).map(({ id }) => id),
        )
    })

    test('are limited in bytes: the best one is always returned, and long ones only while they fit', async () => {
      const long = (id: string, words: string) => row(id, words, { content: 'x'.repeat(400_000), tokens: 100_000 })
      const rows = [
        long('a', 'lever lever lever'),
        long('b', 'lever lever'),
        row('c', 'lever'),
        ...Array.from({ length: 30 }, (_, i) => long(`d${i}`, 'pulley')),
      ]
      await writeGeneration(store, 'g1', rows)
      const found = async (words: string, limit: number) => (await store.search('g1', any(words), limit))?.map(({ id }) => id)
      expect(new Set(await found('lever', 10))).toEqual(new Set(['c', 'a']))
      expect((await found('pulley', 20))?.length).toBe(1)
      expect((await found('pulley', 200))?.length).toBe(9)
      expect((await allOf(store.scan('g1'))).map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
    })

    test('are limited by the bytes of their headings, even if they have few tokens', async () => {
      const breadcrumb = Array.from({ length: 1000 }, () => 'h'.repeat(300))
      await writeGeneration(
        store,
        'g1',
        Array.from({ length: 30 }, (_, i) => row(`d${i}`, 'pulley', { breadcrumb, tokens: 1 })),
      )
      expect((await store.search('g1', any('pulley'), 20))?.length).toBe(2)
    })

    test('are listed by page, in the order of writing, and read page by page', async () => {
      const page = (number: number, path: string, ids: string[]) =>
        ids.map((id) => row(id, 'lever', { page: number, path, url: `https://example.com/${path}#L${id.length}`, tokens: 5 }))
      const rows = [...page(0, 'b.md', ['a', 'bb', 'ccc']), ...page(1, 'a.md', ['d'])]
      await writeGeneration(store, 'g1', rows)
      const listed = await store.pages('g1')
      expect(listed).toEqual([
        { page: 0, path: 'b.md', title: 'Page', url: 'https://example.com/b.md', snippets: 3, tokens: 15 },
        { page: 1, path: 'a.md', title: 'Page', url: 'https://example.com/a.md', snippets: 1, tokens: 5 },
      ])
      const read = async (number: number, offset: number, limit: number) =>
        (await store.pageSnippets('g1', number, { offset, limit }))?.map(({ id }) => id)
      expect(await read(0, 0, 2)).toEqual(['a', 'bb'])
      expect(await read(0, 2, 2)).toEqual(['ccc'])
      expect(await read(1, 0, 10)).toEqual(['d'])
      expect(await read(7, 0, 10)).toEqual([])
      await store.drop('g1')
      expect(await store.pages('g1')).toBeUndefined()
      expect(await store.pageSnippets('g1', 0, { offset: 0, limit: 1 })).toBeUndefined()
    })

    test('are found by their flag, in their order, and not by a text that looks like one', async () => {
      const flag = { kinds: ['instruction' as const], reason: 'it addresses agents' }
      const rows = [
        row('a', 'lever', { flag }),
        row('b', 'lever', { content: '{"hash":"x","flag":{"kinds":[]}}' }),
        row('c', 'lever', { flag: { ...flag, concealed: true } }),
        row('d', 'lever', { flag }),
      ]
      await writeGeneration(store, 'g1', rows)
      const found = async (offset: number, limit: number) => {
        const { snippets = [], total } = (await store.flagged('g1', { offset, limit })) ?? {}
        return [snippets.map(({ id }) => id), total]
      }
      expect(await found(0, 10)).toEqual([['a', 'c', 'd'], 3])
      expect(await found(1, 1)).toEqual([['c'], 3])
      expect(await store.flagged('gone', { offset: 0, limit: 1 })).toBeUndefined()
    })

    test('have the origins that were stored with them, or none', async () => {
      const writer = await store.write('g1')
      await writer.add([row('a', 'lever')])
      const statistics = packStatistics(statisticsBuilder().total())
      await writer.finish(statistics, Uint8Array.of(1, 2, 3))
      expect(await store.origins('g1')).toEqual(Uint8Array.of(1, 2, 3))
      expect(Buffer.from((await store.packedStatistics('g1')) ?? [])).toEqual(Buffer.from(statistics))
      await writeGeneration(store, 'g2', [row('a', 'lever')])
      expect(await store.origins('g2')).toBeUndefined()
      expect(await store.origins('gone')).toBeUndefined()
    })

    test('are continued after an interrupted write', async () => {
      const rows = Array.from({ length: 1200 }, (_, i) => row(`r${i}`, `lever word${i}`))
      const interrupted = await store.write('g1')
      expect(interrupted.written).toBe(0)
      await interrupted.add(rows.slice(0, 1100))
      const again = await store.write('g1')
      expect(again.written).toBeGreaterThan(0)
      expect(again.written).toBeLessThanOrEqual(1100)
      await again.add(rows.slice(again.written))
      await again.finish(packStatistics(statisticsBuilder().total()))
      expect((await allOf(store.scan('g1'))).map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
      expect(await store.search('g1', any('word1199'), 10)).toEqual([rows[1199]])
    })

    test('are weighted by their terms', async () => {
      await writeGeneration(store, 'g1', [row('a', 'lever x y'), row('b', 'spring x y')])
      const ids = async (lever: number, spring: number) =>
        (
          await store.search(
            'g1',
            [
              { term: 'lever', weight: lever },
              { term: 'spring', weight: spring },
            ],
            2,
          )
        )?.map(({ id }) => id)
      expect(await ids(5, 1)).toEqual(['a', 'b'])
      expect(await ids(1, 5)).toEqual(['b', 'a'])
    })

    test('are found by terms of any script, with quotes and operators, and by very long terms', async () => {
      const terms = [
        'größe',
        '漢字',
        '😀',
        "it's",
        '"quoted"',
        'a+b',
        '(x)',
        '-not',
        'and',
        'or',
        'c++',
        '*',
        '\\',
        'x'.repeat(900),
      ]
      await writeGeneration(
        store,
        'g1',
        terms.map((term, n) => row(String(n), term)),
      )
      for (const [n, term] of terms.entries()) {
        expect(
          (await store.search('g1', any(term), 5))?.map(({ id }) => id),
          term,
        ).toEqual([String(n)])
      }
      expect(await store.search('g1', any('y'.repeat(5000), '', ' '), 5)).toEqual([])
    })

    test('have the statistics that were written with them', async () => {
      await writeGeneration(store, 'g1', [row('a', 'lever'), row('b', 'lever spring')])
      const statistics = await store.statistics('g1')
      expect([statistics?.chunks, statistics?.documentFrequency('lever'), statistics?.documentFrequency('absent')]).toEqual([
        2, 1, 0,
      ])
      expect(statistics?.topics).toEqual(['section'])
    })

    test('do not exist in an empty generation', async () => {
      await writeGeneration(store, 'empty', [])
      expect(await store.search('empty', any('lever'), 5)).toEqual([])
      expect((await store.statistics('empty'))?.chunks).toBe(0)
    })

    test('are undefined after their generation is dropped, and those of others stay', async () => {
      await writeGeneration(store, 'g1', [row('a', 'lever')])
      await writeGeneration(store, 'g10', [row('b', 'lever')])
      await store.search('g1', any('lever'), 5)
      await store.statistics('g1')
      await store.drop('g1')
      expect(await store.search('g1', any('lever'), 5)).toBeUndefined()
      expect(await store.statistics('g1')).toBeUndefined()
      expect(await store.search('g10', any('lever'), 5)).toHaveLength(1)
      expect(await store.generations()).toEqual(['g10'])
      await expect(store.drop('never')).resolves.toBeUndefined()
    })

    test('are all removed after an aborted write', async () => {
      const writer = await store.write('g1')
      await writer.add(Array.from({ length: 5000 }, (_, n) => row(String(n), 'lever')))
      await writer.abort()
      expect(await store.generations()).toEqual([])
      expect(await store.search('g1', any('lever'), 5)).toBeUndefined()
    })

    test('are all found if they were written in many batches', async () => {
      const writer = await store.write('g1')
      for (let batch = 0; batch < 3; batch++)
        await writer.add(Array.from({ length: 4000 }, (_, n) => row(`${batch}-${n}`, n === 7 ? 'rare' : 'common')))
      await writer.finish(packStatistics(statisticsBuilder().total()))
      expect((await store.search('g1', any('rare'), 50))?.map(({ id }) => id).sort()).toEqual(['0-7', '1-7', '2-7'])
    })

    test('are read complete, in the order of writing, in batches', async () => {
      const rows = Array.from({ length: 2500 }, (_, n) =>
        row(String(n), `term${n}`, { page: n % 7, ...(n % 3 === 0 ? { code: [] } : {}) }),
      )
      await writeGeneration(store, 'g1', rows)
      const batches: StoredSnippet[][] = []
      for await (const batch of store.scan('g1')) batches.push(batch)
      expect(batches.length).toBeGreaterThan(1)
      expect(batches.flat()).toEqual(rows.map(({ terms: _, lengths: __, ...snippet }) => snippet))
    })

    test('are read as an empty list from an empty generation', async () => {
      await writeGeneration(store, 'empty', [])
      expect(await allOf(store.scan('empty'))).toEqual([])
    })

    test('are never read as a shorter list: a missing or dropped generation fails with not_found', async () => {
      const rows = Array.from({ length: 6000 }, (_, n) => row(String(n), 'lever'))
      await writeGeneration(store, 'g1', rows)
      expect((await failure(allOf(store.scan('never')))).code).toBe('not_found')
      const reading = async () => {
        let read = 0
        for await (const batch of store.scan('g1')) {
          if (read === 0) await store.drop('g1')
          read += batch.length
        }
        return read
      }
      expect((await failure(reading())).code).toBe('not_found')
      expect((await failure(allOf(store.scan('g1')))).code).toBe('not_found')
    })

    test('are found or missing, without errors, while others are dropped', async () => {
      const names = Array.from({ length: 12 }, (_, n) => `g${n}`)
      for (const name of names) await writeGeneration(store, name, [row(name, 'lever')])
      const searches = Array.from({ length: 120 }, (_, n) => store.search(`g${n % 12}`, any('lever'), 5))
      const drops = names.filter((_, n) => n % 2 === 0).map((name) => store.drop(name))
      const found = await Promise.all(searches)
      await Promise.all(drops)
      found.forEach((rows, n) => {
        if (n % 2 === 1) expect(rows?.map(({ id }) => id)).toEqual([`g${n % 12}`])
        else expect([undefined, 1]).toContain(rows?.length)
      })
      expect((await store.generations()).sort()).toEqual(['g1', 'g11', 'g3', 'g5', 'g7', 'g9'])
    })
  })
}
