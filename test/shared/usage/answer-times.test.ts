import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundOf, percentilesOf, sumTimes } from '../../../shared/usage/answer-times.ts'

const count = (times: readonly number[]) => sumTimes(times.map((ms) => ({ [boundOf(ms)]: 1 })))

test('there are no percentiles without questions', () => expect(percentilesOf({})).toBeNull())

test.each([
  [0, 1],
  [1, 1],
  [7, 8],
  [100, 100],
  [101, 130],
  [59_999, 60_000],
  [3_600_000, 60_000],
])('a time of %d ms is counted under %d ms', (ms, bound) => expect(boundOf(ms)).toBe(bound))

test('a percentile is never further from the true one than a quarter', () => {
  const times = fc.array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 60_000 })), { minLength: 1 })
  fc.assert(
    fc.property(times, (some) => {
      const sorted = some.toSorted((a, b) => a - b)
      const percentiles = percentilesOf(count(some))
      for (const [name, share] of [
        ['p50', 0.5],
        ['p95', 0.95],
        ['p99', 0.99],
      ] as const) {
        const truly = sorted[Math.ceil(share * sorted.length) - 1] ?? 0
        const given = percentiles?.[name] ?? 0
        expect(Math.abs(given - truly), `${name} of ${some}`).toBeLessThanOrEqual(1 + truly * 0.35)
      }
    }),
    { seed: 20261129 },
  )
})

test('the counts of two days are those of all their questions', () => {
  const [first, second] = [
    [3, 40, 41],
    [40, 800],
  ]
  expect(sumTimes([count(first), count(second)])).toEqual(count([...first, ...second]))
})
