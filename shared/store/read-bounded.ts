import type { Query, Table, VectorQuery } from '@lancedb/lancedb'
import type { Table as ArrowTable } from 'apache-arrow'
import { placeInPage, type SnippetRow } from '../search/rows/snippet-store.ts'
import { isLancePanic } from './is-lance-panic.ts'
import { columnsOf, type Purpose, rowsOf } from './lance-rows.ts'
import { idsOf, readScored, type Score, scoresOf } from './read-scored.ts'
import type { RowCache } from './row-cache.ts'

/** No row of a parse has more. A bundle can bring a thousand headings for each snippet. */
const maxChunkBytes = 128 * 1024
/** The limit is several times the size of a chunk, so that only overlong rows reach it. */
const rowBytes = 16 * 1024
/** Rows read beyond the limit show if the last row within it has equals. */
const spareRows = 8
/** If more rows have the same score at the limit, LanceDB chooses among them. */
const maxEqualRows = 2_000

const longRowsByTable = new WeakMap<Table, Promise<boolean>>()

/** True if a table has rows that are too long to limit reads by number only. One scan of a column of numbers per opened table. */
export function hasLongRows(table: Table): Promise<boolean> {
  const asked = longRowsByTable.get(table) ?? findLongRow(table)
  longRowsByTable.set(table, asked)
  asked.catch(() => longRowsByTable.delete(table))
  return asked
}

const findLongRow = async (table: Table): Promise<boolean> => {
  const longRows: ArrowTable | undefined = await table
    .query()
    .where(`bytes > ${maxChunkBytes}`)
    .select(['bytes'])
    .limit(1)
    .toArrow()
    .catch((error: unknown) => {
      // A panic may have corrupted memory. The following read reports any other failure.
      if (isLancePanic(error)) throw error
      return undefined
    })
  return (longRows?.numRows ?? 0) > 0
}

/**
 * The rows that a search finds, best first, rows of equal score in their order in the library, so that the answer depends neither on the order in
 * which LanceDB's threads built the index nor on its choice among equals. From a table with overlong rows, it reads the best one, and those of the
 * others that fit into the bytes of `limit` chunks, so that the cost of reading and ranking does not grow with their length.
 */
export async function readBounded(
  table: Table,
  search: () => Query | VectorQuery,
  { purpose, score, limit, cache }: { purpose: Purpose; score: Score; limit: number; cache: RowCache },
): Promise<SnippetRow[]> {
  const { [purpose]: stored } = await columnsOf(table)
  const isLong = await hasLongRows(table)
  if (!isLong) {
    const asked = limit + spareRows
    const { rows, scores } = await readScored(table, search, { columns: stored, score, limit: asked, cache })
    const best = bestRows(scores, (i) => [rows[i]?.page ?? 0, placeInPage(rows[i]?.id ?? '')], limit)
    if (rows.length < asked || scores[best.at(-1) ?? 0] !== scores[asked - 1]) return best.flatMap((i) => rows[i] ?? [])
  }
  const sizes: ArrowTable = await search()
    .select(['bytes', 'page', 'place', score])
    .withRowId()
    .limit(isLong ? limit + spareRows : maxEqualRows)
    .toArrow()
  const [pages, places] = ['page', 'place'].map((name) => sizes.getChild(name))
  const placeOf = (i: number) => [pages?.get(i), places?.get(i)]
  const best = bestRows(scoresOf(sizes, score), placeOf, limit)
  const rowIds = idsOf(sizes)
  const wanted = (isLong ? withinBytes(sizes, best, limit * rowBytes) : best).flatMap((i) => rowIds[i] ?? [])
  if (wanted.length === 0) return []
  const answer: ArrowTable = await table.takeRowIds(wanted).select(stored).withRowId().toArrow()
  const answered = idsOf(answer)
  const rows = new Map(rowsOf(answer).map((row, i) => [answered[i], row]))
  return wanted.flatMap((id) => rows.get(id) ?? [])
}

/** The numbers of the best rows, in order. */
function bestRows(scores: number[], placeOf: (i: number) => number[], limit: number): number[] {
  const places = scores.map((_, i) => placeOf(i))
  const [pageOf, inPage] = [(i: number) => places[i]?.[0] ?? 0, (i: number) => places[i]?.[1] ?? 0]
  return [...scores.keys()]
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || pageOf(a) - pageOf(b) || inPage(a) - inPage(b))
    .slice(0, limit)
}

/** The numbers of the first rows that fit. */
function withinBytes(sizes: ArrowTable, best: number[], budget: number): number[] {
  const sizeOf = sizes.getChild('bytes')
  const wanted: number[] = []
  let leftBytes = budget
  for (const i of best) {
    const bytes: number = sizeOf?.get(i)
    if (wanted.length > 0) {
      if (bytes > leftBytes) continue
      leftBytes -= bytes
    }
    wanted.push(i)
  }
  return wanted
}
