import { expect, test } from 'vitest'
import { inverseFrequency } from '../../../../shared/search/statistics/inverse-frequency.ts'

test('a term says more the fewer documents hold it, most where none does, and never less than nothing', () => {
  expect([4, 3, 1, 0].map((held) => inverseFrequency(held, 4).toFixed(2))).toEqual(['0.11', '0.36', '1.20', '2.30'])
})
