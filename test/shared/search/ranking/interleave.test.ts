import { expect, test } from 'vitest'
import { interleave } from '../../../../shared/search/ranking/interleave.ts'
import type { RankedRow } from '../../../../shared/search/ranking/rank.ts'

const ranking = (ids: string) => [...ids].map((id) => ({ row: { id }, score: 1, bm25: 1, pageScore: 1 }) as RankedRow)
const ids = (rows: RankedRow[]) => rows.map(({ row }) => row.id).join('')

test('rankings take turns, and a row of several appears once', () => {
  expect(ids(interleave([ranking('abc'), ranking('ax'), ranking('yzb')]))).toBe('aybxzc')
  expect(ids(interleave([]))).toBe('')
})
