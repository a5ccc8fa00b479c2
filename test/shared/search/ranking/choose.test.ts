import { expect, test } from 'vitest'
import { choose, type RankedRow } from '../../../../shared/search/ranking/rank.ts'
import { timeSlice } from '../../../../shared/time/time-slice.ts'

const ranked = (page: number, section: number, score: number): RankedRow => ({
  row: {
    page,
    section,
    content: `section ${section} of page ${page}`,
    id: `${page}.${section}`,
    hash: `${page}.${section}`,
  } as RankedRow['row'],
  score,
  bm25: 0,
  pageScore: 0,
})
const chosen = async (rows: RankedRow[], budget = 100) =>
  (await choose(rows, { tokens: budget, tokensOf: () => 10 }, timeSlice(new AbortController().signal))).map(({ id }) => id)

test('a row that exceeds the rest of the budget is passed over for one that fits', async () => {
  const rows = [ranked(1, 1, 1), ranked(1, 2, 0.9), ranked(2, 1, 0.8)]
  const tokensOf = (row: RankedRow['row']) => (row.section === 2 ? 80 : 30)
  const fitting = await choose(rows, { tokens: 100, tokensOf }, timeSlice(new AbortController().signal))
  expect(fitting.map(({ id }) => id)).toEqual(['1.1', '2.1'])
})

test('rows with the same score keep their order', async () => {
  expect(await chosen([ranked(2, 1, 1), ranked(1, 1, 1), ranked(3, 1, 1)], 20)).toEqual(['2.1', '1.1'])
})
