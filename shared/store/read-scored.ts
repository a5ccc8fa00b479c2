import type { Query, Table, VectorQuery } from '@lancedb/lancedb'
import type { Table as ArrowTable } from 'apache-arrow'
import type { SnippetRow } from '../search/rows/snippet-store.ts'
import { rowsOf } from './lance-rows.ts'
import type { RowCache } from './row-cache.ts'

export type Score = '_score' | '_distance'

type Wanted = { columns: string[]; score: Score; limit: number; cache: RowCache }

/** The rows that a search finds, with their scores. If most rows of the last questions were cached, only the missing rows are read. */
export async function readScored(
  table: Table,
  search: () => Query | VectorQuery,
  { columns, score, limit, cache }: Wanted,
): Promise<{ rows: SnippetRow[]; scores: number[] }> {
  const cached = cache.of(table, columns)
  const { isUseful } = cached
  const scored: ArrowTable = await search()
    .select(isUseful ? [score] : [...columns, score])
    .withRowId()
    .limit(limit)
    .toArrow()
  const ids = idsOf(scored)
  const rows = new Map(ids.map((id) => [id, cached.get(id)]))
  const missing = ids.filter((id) => !rows.get(id))
  cached.note(ids.length - missing.length, ids.length)
  if (missing.length > 0) {
    const answer: ArrowTable = isUseful ? await table.takeRowIds(missing).select(columns).withRowId().toArrow() : scored
    const read = idsOf(answer)
    const wanted = [...read.keys()].filter((i) => !rows.get(read[i] as bigint))
    rowsOf(answer, wanted).forEach((row, i) => {
      const id = read[wanted[i] as number] as bigint
      rows.set(id, row)
      cached.add(id, row)
    })
  }
  const scores = scoresOf(scored, score)
  const at = [...ids.keys()].filter((i) => rows.get(ids[i] as bigint))
  return {
    rows: at.map((i) => rows.get(ids[i] as bigint) as SnippetRow),
    scores: at.map((i) => scores[i] as number),
  }
}

/** Greater is better. */
export function scoresOf(scored: ArrowTable, score: Score): number[] {
  const values = scored.getChild(score)
  const direction = score === '_score' ? 1 : -1
  return Array.from({ length: scored.numRows }, (_, i) => direction * values?.get(i))
}

export function idsOf(scored: ArrowTable): bigint[] {
  const ids = scored.getChild('_rowid')
  return Array.from({ length: scored.numRows }, (_, i) => ids?.get(i))
}
