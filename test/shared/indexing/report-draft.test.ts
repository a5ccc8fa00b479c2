import { expect, test } from 'vitest'
import { finishReport } from '../../../shared/indexing/report-draft.ts'

test('a report lists the first thousand skipped files and the number of the others', () => {
  const skipped = Array.from({ length: 1012 }, (_, n) => ({ path: `${String(n).padStart(4, '0')}.md`, reason: 'no' })).reverse()
  const draft = {
    skipped,
    versions: new Map(),
    snippetsBefore: 0,
    textsEmbedded: 0,
    llmTokens: () => 0,
    current: undefined,
  }
  const told = finishReport(draft, 0).skipped
  expect([told.length, told[0]?.path, told[999]?.path]).toEqual([1001, '0000.md', '0999.md'])
  expect(told.at(-1)).toEqual({ path: '…', reason: 'and 12 more files' })
})
