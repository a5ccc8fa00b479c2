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
  pageScore: 0,
})
const chosen = async (rows: RankedRow[], budget = 100) =>
  (await choose(rows, { tokens: budget, tokensOf: () => 10 }, timeSlice(new AbortController().signal))).map(({ id }) => id)

test('further sections of a page are chosen after slightly worse ones of other pages', async () => {
  const page = [ranked(1, 1, 1), ranked(1, 2, 0.99), ranked(1, 3, 0.98), ranked(1, 4, 0.97)]
  expect(await chosen([...page, ranked(2, 1, 0.95), ranked(3, 1, 0.5)])).toEqual(['1.1', '1.2', '2.1', '1.3', '1.4', '3.1'])
})

test('rows with the same score keep their order', async () => {
  expect(await chosen([ranked(2, 1, 1), ranked(1, 1, 1), ranked(3, 1, 1)], 20)).toEqual(['2.1', '1.1'])
})
