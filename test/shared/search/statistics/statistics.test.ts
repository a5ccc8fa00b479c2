import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packStatistics } from '../../../../shared/search/statistics/pack-statistics.ts'
import { pageKind } from '../../../../shared/search/statistics/page-kind.ts'
import { readStatistics } from '../../../../shared/search/statistics/statistics.ts'
import { statisticsBuilder } from '../../../../shared/search/statistics/statistics-builder.ts'
import { stem } from '../../../../shared/search/words/analyse.ts'
import { pageCounts } from '../../../fixtures/page-counts.ts'

describe('the statistics of a generation', () => {
  test('have the mean word vector of the chunks', () => {
    const builder = statisticsBuilder()
    builder.add({ ...pageCounts([['a', 1, 1]], { chunks: 3 }), wordVectorSum: Float32Array.of(1, 2) })
    builder.add({ ...pageCounts([['b', 1, 1]]), wordVectorSum: Float32Array.of(3, -2) })
    expect(readStatistics(packStatistics(builder.total())).meanWordVector).toEqual(Float32Array.of(1, 0))
    expect(readStatistics(packStatistics(statisticsBuilder().total())).meanWordVector).toBeUndefined()
  })

  test('are the same after they were written and read', () => {
    const builder = statisticsBuilder()
    expect(builder.add(pageCounts([['cooki', 2, 3.5]], { chunks: 2, words: [['cookies', 2]], topics: ['usage', 'usage'] }))).toBe(
      0,
    )
    expect(
      builder.add(
        pageCounts(
          [
            ['cooki', 1, 1],
            ['naïv', 1, 0.5],
          ],
          { topics: ['setup'], kind: pageKind('docs/blog/news.ts') },
        ),
      ),
    ).toBe(1)
    const read = readStatistics(packStatistics(builder.total()))
    expect(read.chunks).toBe(3)
    expect(read.pages).toBe(2)
    expect(read.documentFrequency('cooki')).toBe(3)
    expect(read.documentFrequency('naïv')).toBe(1)
    expect(read.documentFrequency('cook')).toBe(0)
    expect(read.wordFrequency('cookies')).toBe(2)
    expect(read.averageLengths).toEqual([1, 2, 3, 4, 5, 6].map((each) => (each * 2) / 3))
    expect(read.pageLength(0)).toBe(3.5)
    expect(read.pageKind(0)).toEqual(pageKind('docs/a.md'))
    expect(read.pageKind(1)).toEqual(pageKind('docs/blog/news.ts'))
    expect(read.averagePageLength).toBe(2.5)
    expect(read.topics).toEqual(['usage', 'setup'])
    const held = read.pagesWith('cooki')
    expect([...(held?.pages ?? [])]).toEqual([0, 1])
    expect([...(held?.weights ?? [])]).toEqual([3.5, 1])
  })

  test('are readable if they are empty', () => {
    const read = readStatistics(packStatistics(statisticsBuilder().total()))
    expect([read.chunks, read.documentFrequency('a'), read.wordsLike('abc', 2)]).toEqual([0, 0, []])
  })

  test('count every added term, and no other', () => {
    const terms = fc.uniqueArray(
      fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).filter((text) => text.isWellFormed() && !text.includes(' ')),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(fc.array(terms, { maxLength: 8 }), (pages) => {
        const builder = statisticsBuilder()
        for (const each of pages) builder.add(pageCounts(each.map((term): [string, number, number] => [term, 1, 1])))
        const read = readStatistics(packStatistics(builder.total()))
        for (const term of new Set(pages.flat())) {
          const count = pages.filter((each) => each.includes(term)).length
          expect(read.documentFrequency(term)).toBe(count)
          expect(read.pagesWith(term)?.pages).toHaveLength(count)
        }
        expect(read.documentFrequency('no such term')).toBe(0)
      }),
      { numRuns: 50 },
    )
  })

  test('name the words that a misspelt word may mean', () => {
    const builder = statisticsBuilder()
    builder.add(
      pageCounts([], { words: ['middle', 'middleware', 'model', 'other', 'élan'].map((word): [string, number] => [word, 1]) }),
    )
    const read = readStatistics(packStatistics(builder.total()))
    expect(read.wordsLike('midle', 2)).toEqual(['middle', 'model'])
    expect(read.wordsLike('éla', 1)).toEqual(['élan'])
  })

  test('name the most frequent word of a stem', () => {
    const builder = statisticsBuilder()
    const words: [string, number][] = [
      ['easily', 1],
      ['easy', 2],
      ['east', 9],
      ['immutability', 1],
      ['immutable', 3],
    ]
    builder.add(pageCounts([], { words }))
    const read = readStatistics(packStatistics(builder.total()))
    expect([stem('easy'), stem('immutable')].map(read.wordOf)).toEqual(['easy', 'immutable'])
    expect(['', 'e', 'zebra'].map(read.wordOf)).toEqual([undefined, undefined, undefined])
  })
})
