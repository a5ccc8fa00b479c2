import { expect, test } from 'vitest'
import { packInThread } from '../../../../shared/indexing/pages/pack-in-thread.ts'
import { packStatistics } from '../../../../shared/search/statistics/pack-statistics.ts'
import { readStatistics } from '../../../../shared/search/statistics/statistics.ts'
import { statisticsBuilder } from '../../../../shared/search/statistics/statistics-builder.ts'
import { pageCounts } from '../../../fixtures/page-counts.ts'

test('a large vocabulary is packed without holding up the thread, into the same bytes', async () => {
  const builder = statisticsBuilder()
  const terms = Array.from({ length: 100_000 }, (_, i): [string, number, number] => [`${(i * 7919) % 100_003}word`, 1, 1])
  builder.add(pageCounts(terms, { words: [['word', 1]], topics: ['noise'] }))
  let turns = 0
  const turning = setInterval(() => turns++, 1)
  const bytes = await packInThread(builder.total())
  clearInterval(turning)
  expect(turns).toBeGreaterThan(5)
  expect(Buffer.compare(bytes, packStatistics(builder.total()))).toBe(0)
  expect(readStatistics(bytes).documentFrequency('4711word')).toBe(1)
})
