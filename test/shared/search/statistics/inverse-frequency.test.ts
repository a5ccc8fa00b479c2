import { expect, test } from 'vitest'
import { inverseFrequency } from '../../../../shared/search/statistics/inverse-frequency.ts'

test('a term weighs more the fewer documents contain it, and never less than zero', () => {
  expect([4, 3, 1, 0].map((held) => inverseFrequency(held, 4).toFixed(2))).toEqual(['0.11', '0.36', '1.20', '2.30'])
})
