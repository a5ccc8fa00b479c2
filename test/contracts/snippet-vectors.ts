import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SnippetRow, SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { packStatistics } from '../../shared/search/statistics/pack-statistics.ts'
import { statisticsBuilder } from '../../shared/search/statistics/statistics-builder.ts'
import { failure } from '../fixtures/failure.ts'
import { row } from './snippet-row.ts'
import { allOf, type OpenedStore, writeGeneration } from './snippet-store.ts'

const statistics = packStatistics(statisticsBuilder().total())

/** Points that go round a circle, in four of eight dimensions: neighbours are near. */
const around = (n: number, of: number, length = 8): Float32Array => {
  const [x, y] = [Math.cos((2 * Math.PI * n) / of), Math.sin((2 * Math.PI * n) / of)]
  return Float32Array.from({ length }, (_, i) => [x, y, 0, 0][i % 4] ?? 0)
}
const circle = (of: number): SnippetRow[] =>
  Array.from({ length: of }, (_, n) => row(String(n), `word${n}`, { vector: around(n, of) }))
const ids = (rows: SnippetRow[] | undefined) => rows?.map(({ id }) => id)
const any = (...terms: string[]) => terms.map((term) => ({ term, weight: 1 }))

/** Tests of vectors that every `SnippetStore` must pass. An index must be built from 300,000 numbers on. */
export function snippetVectorsContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`snippets with vectors in ${name}`, () => {
    let opened: OpenedStore
    let store: SnippetStore
    beforeEach(async () => {
      opened = await open()
      store = opened.store
    })
    afterEach(() => opened.close())

    test('are found by near vectors, complete, nearest first', async () => {
      const rows = circle(360)
      await writeGeneration(store, 'g1', rows)
      const found = await store.searchVector('g1', around(90, 360), 3)
      expect(found?.[0]).toEqual(rows[90])
      expect(ids(found)?.slice(1).sort()).toEqual(['89', '91'])
    })

    test('are limited by the bytes of their code', async () => {
      const code = Array.from({ length: 200 }, () => ({ language: 'l'.repeat(2000), code: 'x' }))
      const rows = circle(30).map((each) => ({ ...each, code, tokens: 1 }))
      await writeGeneration(store, 'g1', rows)
      expect(ids(await store.searchVector('g1', around(7, 30), 20))).toEqual(['7'])
    })

    test('have their vectors in a search for terms only if requested', async () => {
      const rows = circle(20)
      await writeGeneration(store, 'g1', rows)
      const { vector: _, ...bare } = rows[7] as SnippetRow
      expect(await store.search('g1', any('word7'), 5)).toEqual([bare])
      expect(await store.search('g1', any('word7'), 5, { vectors: true })).toEqual([rows[7]])
    })

    test('are read without them', async () => {
      const rows = circle(1200)
      await writeGeneration(store, 'g1', rows)
      const bare = rows.map(({ vector: _, ...each }) => each)
      expect((await allOf(store.scan('g1'))).some((each) => 'vector' in each)).toBe(false)
      expect(await allOf(store.read('g1'))).toEqual(bare)
    })

    test('are never found by a vector in a generation without vectors', async () => {
      await writeGeneration(store, 'g1', [row('a', 'lever')])
      await writeGeneration(store, 'empty', [])
      expect(await store.searchVector('g1', around(0, 8), 5)).toEqual([])
      expect(await store.searchVector('empty', around(0, 8), 5)).toEqual([])
      expect(await store.search('g1', any('lever'), 5, { vectors: true })).toEqual([row('a', 'lever')])
      expect(await store.searchVector('never', around(0, 8), 5)).toBeUndefined()
    })

    test('are not found by a vector of another length or a zero vector', async () => {
      await writeGeneration(store, 'g1', circle(20))
      expect(await store.searchVector('g1', around(0, 8, 12), 5)).toEqual([])
      expect(await store.searchVector('g1', new Float32Array(8), 5)).toEqual([])
    })

    test('are stored with a zero vector, and come after those that are near', async () => {
      const rows = [row('nowhere', 'word', { vector: new Float32Array(8) }), ...circle(8)]
      await writeGeneration(store, 'g1', rows)
      expect(ids(await store.searchVector('g1', around(3, 8), 3))).toEqual(['3', expect.any(String), expect.any(String)])
      expect(await store.search('g1', any('word'), 1, { vectors: true })).toEqual([rows[0]])
    })

    test.each([
      ['a longer vector than the others', { vector: new Float32Array(9) }],
      ['a shorter vector than the others', { vector: new Float32Array(7) }],
      ['no vector', {}],
    ])('are rejected if one has %s', async (_, more) => {
      const writer = await store.write('g1')
      const error = await failure(writer.add([...circle(20), row('x', 'x', more)]).then(() => writer.finish(statistics)))
      expect([error.code, error.message]).toEqual([
        'internal_error',
        expect.stringMatching(/^A vector of \d numbers does not fit the others/),
      ])
      await writer.abort()
      expect(await store.generations()).toEqual([])
    })

    test('are rejected if earlier rows have no vectors', async () => {
      const writer = await store.write('g1')
      const error = await failure(writer.add([row('x', 'x'), ...circle(3)]).then(() => writer.finish(statistics)))
      expect(error.code).toBe('internal_error')
    })

    test('are continued after an interrupted write, with vectors of the same length', async () => {
      const rows = circle(2500)
      const interrupted = await store.write('g1')
      await interrupted.add(rows.slice(0, 2200))
      const refusing = await store.write('g1')
      expect(
        (await failure(refusing.add(rows.slice(0, 2000).map((each) => ({ ...each, vector: new Float32Array(4) }))))).code,
      ).toBe('internal_error')
      const again = await store.write('g1')
      expect(again.written).toBeGreaterThan(0)
      await again.add(rows.slice(again.written))
      await again.finish(statistics)
      expect((await allOf(store.read('g1'))).map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
      expect(ids(await store.searchVector('g1', around(2400, 2500), 1))).toEqual(['2400'])
    })

    test('are copied to another generation with its statistics', async () => {
      await writeGeneration(store, 'g1', circle(30))
      const packed = await store.packedStatistics('g1')
      const writer = await store.write('g2')
      for await (const rows of store.read('g1')) await writer.add(rows.map((each, n) => ({ ...each, vector: around(n, 30) })))
      await writer.finish(packed ?? statistics)
      expect((await store.statistics('g2'))?.documentFrequency('word7')).toBe(1)
      expect(await store.search('g2', any('word7'), 5)).toEqual(await store.search('g1', any('word7'), 5))
      expect(await store.packedStatistics('never')).toBeUndefined()
    })

    test('are found in a large library if almost all vectors are zero', async () => {
      const [count, length] = [900, 384]
      const vector = Float32Array.from({ length }, (_, i) => i % 7)
      const zero = new Float32Array(length)
      const rows = Array.from({ length: count }, (_, n) => row(String(n), 'word', { vector: n === 500 ? vector : zero }))
      await writeGeneration(store, 'g1', rows)
      expect(ids(await store.searchVector('g1', vector, 1))).toEqual(['500'])
      expect((await store.search('g1', any('word'), 3, { vectors: true }))?.length).toBe(3)
    })

    test.each([
      ['', 0],
      [', and with zero vectors', 225],
    ])('are found through an index in a large library, with most of the nearest%s', async (_, zeros) => {
      const [count, length] = [900, 384]
      const clusters = 40
      let seed = 1
      const random = () => {
        seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x6d2b79f5
        return ((seed ^ (seed >>> 13)) >>> 0) / 2 ** 32 - 0.5
      }
      const centres = Array.from({ length: clusters }, () => Float32Array.from({ length }, random))
      const near = (n: number) => centres[n % clusters]?.map((each) => each + random() * 0.8) ?? new Float32Array(length)
      const rows = Array.from({ length: count }, (_, n) => row(String(n), 'word', { vector: near(n) }))
      const zero = new Float32Array(length)
      const without = Array.from({ length: zeros }, (_, n) => row(`zero${n}`, 'word', { vector: zero }))
      await writeGeneration(store, 'g1', [...without, ...rows])
      const query = near(7)
      const cosines = rows.map(({ id, vector }) => ({ id, cosine: cosine(query, vector ?? query) }))
      const best = cosines.sort((a, b) => b.cosine - a.cosine).slice(0, 20)
      const found = ids(await store.searchVector('g1', query, 50))
      expect(best.filter(({ id }) => found?.includes(id)).length).toBeGreaterThanOrEqual(18)
      expect(found?.filter((id) => id.startsWith('zero'))).toEqual([])
    })
  })
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0]
    dot += x * y
    aa += x * x
    bb += y * y
  }
  return dot / Math.sqrt(aa * bb)
}
