import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countFrequent } from '../../../shared/usage/count-frequent.ts'

const additions = fc.array(fc.tuple(fc.nat({ max: 40 }).map(String), fc.integer({ min: 1, max: 9 })), { maxLength: 300 })

function counted(added: [string, number][], capacity: number) {
  const [counters, truth] = [new Map<string, number>(), new Map<string, number>()]
  for (const [name, count] of added) {
    countFrequent(counters, name, count, capacity)
    truth.set(name, (truth.get(name) ?? 0) + count)
  }
  return { counters, truth, total: added.reduce((sum, [, count]) => sum + count, 0) }
}

test('counts add up to all that was counted, never fall below the truth, and exceed it by at most a share of it', () => {
  fc.assert(
    fc.property(additions, fc.integer({ min: 1, max: 20 }), (added, capacity) => {
      const { counters, truth, total } = counted(added, capacity)
      expect(counters.size).toBe(Math.min(capacity, truth.size))
      expect([...counters.values()].reduce((sum, count) => sum + count, 0)).toBe(total)
      for (const [name, count] of counters) {
        expect(count).toBeGreaterThanOrEqual(truth.get(name) ?? 0)
        expect(count - (truth.get(name) ?? 0)).toBeLessThanOrEqual(total / capacity)
      }
      for (const [name, count] of truth) if (count > total / capacity) expect(counters.has(name)).toBe(true)
    }),
  )
})

test('a name that becomes frequent after all counters are taken is counted, and keeps its place', () => {
  const rare = Array.from({ length: 3_000 }, (_, n): [string, number] => [`rare ${n}`, 1])
  const late = Array.from({ length: 500 }, (): [string, number] => ['late', 1])
  const { counters } = counted([...rare, ...late, ...rare], 1_000)
  expect(counters.get('late')).toBeGreaterThanOrEqual(500)
  expect(Math.max(...counters.values())).toBe(counters.get('late'))
})
