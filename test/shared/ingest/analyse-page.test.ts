import { expect, test } from 'vitest'
import { analysePage } from '../../../shared/ingest/analyse-page.ts'
import { cut } from '../../../shared/ingest/cut.ts'

test('a page of noise adds so many terms to the statistics and no more', () => {
  const text = Array.from({ length: 120_000 }, (_, i) => `${i}`).join(' ')
  const units = cut(
    { title: 'Noise', sections: [{ headings: ['Noise'], line: 1, blocks: [{ kind: 'prose', text, line: 1 }] }] },
    'file',
  )
  const { counts } = analysePage(units, 'noise.txt', () => '')
  expect(counts.terms.split(' ')).toHaveLength(100_000)
  expect([counts.termUnits.length, counts.weights.length]).toEqual([100_000, 100_000])
})
