import { expect, test, vi } from 'vitest'
import { analysePage } from '../../../shared/reading/analyse-page.ts'
import { type Chunk, chunkPage } from '../../../shared/reading/chunk.ts'

test('a page of noise adds a limited number of terms to the statistics', () => {
  const text = Array.from({ length: 120_000 }, (_, i) => `${i}`).join(' ')
  const chunks = chunkPage(
    { title: 'Noise', sections: [{ headings: ['Noise'], line: 1, blocks: [{ kind: 'prose', text, line: 1 }] }] },
    'file',
  )
  const { counts } = analysePage(chunks, 'noise.txt', () => '')
  expect(counts.terms.split(' ')).toHaveLength(100_000)
  expect([counts.termChunks.length, counts.weights.length]).toEqual([100_000, 100_000])
})

const chunkOf = (content: string, number: number): Chunk => {
  return { breadcrumb: ['Page', `Part ${number}`], content, prose: content, code: [], line: 1, section: number }
}
const words = (from: number, count: number) => Array.from({ length: count }, (_, i) => `w${from + i}`).join(' ')

test('twice as many chunks of different words take about twice as many steps', () => {
  const steps = (count: number) => {
    // Words of an earlier count are cached.
    const chunks = Array.from({ length: count }, (_, n) => chunkOf(words(count * 10_000 + n * 40, 40), n))
    const lookups = [vi.spyOn(Set.prototype, 'has'), vi.spyOn(Map.prototype, 'get')]
    try {
      analysePage(chunks, 'noise.txt', () => '')
      return lookups.reduce((sum, { mock }) => sum + mock.calls.length, 0)
    } finally {
      vi.restoreAllMocks()
    }
  }
  expect(steps(200)).toBeLessThan(2.5 * steps(100))
})

test('a chunk that repeats another but for a few words is omitted, wherever on the page it is', () => {
  const chunks = Array.from({ length: 50 }, (_, n) => chunkOf(words(n * 100, 100), n))
  const changed = (n: number, at: number) => chunkOf(words(n * 100, 100).replace(`w${n * 100 + at}`, 'another'), 100 + n)
  const repeats = [changed(3, 0), changed(17, 50), changed(49, 99), chunkOf(words(510, 100), 200)]
  const kept = analysePage([...chunks, ...repeats], 'page.md', () => '').chunks.map(({ section }) => section)
  expect(kept).toEqual([...chunks.map(({ section }) => section), 200])
})
