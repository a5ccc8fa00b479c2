import { expect, test } from 'vitest'
import { idf } from '../../../../shared/search/statistics/bm25.ts'

test('a term weighs more the fewer documents contain it, and never less than zero', () => {
  expect([4, 3, 1, 0].map((held) => idf(held, 4).toFixed(2))).toEqual(['0.11', '0.36', '1.20', '2.30'])
})
