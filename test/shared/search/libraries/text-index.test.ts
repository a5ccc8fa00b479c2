import { describe, expect, test } from 'vitest'
import { bm25Scores, coverage, textIndex } from '../../../../shared/search/libraries/text-index.ts'

const index = textIndex([
  ['web', 'framework'],
  ['web', 'web', 'server'],
  ['web', 'framework', 'with', 'many', 'other', 'words', 'in', 'it'],
  [],
])
const rounded = (values: Float64Array) => [...values].map((value) => Number(value.toFixed(2)))

describe('BM25', () => {
  test('weighs rare terms more than common ones, and terms of short texts more than those of long ones', () => {
    expect(rounded(bm25Scores(index, new Set(['web'])))).toEqual([0.42, 0.5, 0.22, 0])
    expect(rounded(bm25Scores(index, new Set(['framework'])))).toEqual([0.82, 0, 0.43, 0])
    expect(rounded(bm25Scores(index, new Set(['web', 'framework'])))).toEqual([1.25, 0.5, 0.66, 0])
  })

  test('returns the share of the terms that a text contains, weighted by their rarity', () => {
    expect(rounded(coverage(index, new Set(['web', 'server'])))).toEqual([0.23, 1, 0.23, 0])
    expect(rounded(coverage(index, new Set(['web', 'unknown'])))).toEqual([0.13, 0.13, 0.13, 0])
  })

  test('finds nothing without terms or without texts', () => {
    expect(rounded(bm25Scores(index, new Set()))).toEqual([0, 0, 0, 0])
    expect(rounded(coverage(index, new Set()))).toEqual([0, 0, 0, 0])
    expect(rounded(bm25Scores(textIndex([]), new Set(['web'])))).toEqual([])
  })
})
