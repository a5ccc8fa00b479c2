import type { Table } from '@lancedb/lancedb'
import type { Table as ArrowTable } from 'apache-arrow'
import type { SnippetRow, WeightedTerm } from '../search/rows/snippet-store.ts'
import { columnsOf, type Purpose } from './lance-rows.ts'
import { loadLance } from './load-lance.ts'
import { hasLongRows, readBounded } from './read-bounded.ts'
import type { RowCache } from './row-cache.ts'

const scannedRows = 500
/** The batch size for a table with overlong rows. */
const scannedLongRows = 10
/** Compares this multiple of the requested rows exactly, because the index stores one bit per number. */
const refined = 5
const noCopy = 'copy = 0'

export async function searchTerms(
  table: Table,
  terms: WeightedTerm[],
  { limit, vectors, withoutCopies, cache }: { limit: number; vectors: boolean; withoutCopies: boolean; cache: RowCache },
): Promise<SnippetRow[]> {
  if (terms.length === 0) return []
  const { BooleanQuery, MatchQuery, Occur } = await loadLance()
  const byWeight = Map.groupBy(terms, ({ weight }) => weight)
  const groups = [...byWeight].map(
    ([boost, group]) => new MatchQuery(group.map(({ term }) => term).join(' '), 'terms', { boost }),
  )
  const [first, ...others] = groups
  const any = first && others.length === 0 ? first : new BooleanQuery(groups.map((group) => [Occur.Should, group]))
  const purpose = vectors ? 'embedded' : 'ranked'
  const isFirst = withoutCopies && (await columnsOf(table)).hasCopies
  const query = () => (isFirst ? table.query().fullTextSearch(any).where(noCopy) : table.query().fullTextSearch(any))
  return readBounded(table, query, { purpose, score: '_score', limit, cache })
}

/** The nearest rows by cosine. Empty if the table has no vectors of this length, or the vector is zero. */
export async function searchVector(
  table: Table,
  vector: Float32Array,
  { limit, withoutCopies, cache }: { limit: number; withoutCopies: boolean; cache: RowCache },
): Promise<SnippetRow[]> {
  const { dimensions, hasCopies } = await columnsOf(table)
  if (vector.every((each) => each === 0) || dimensions !== vector.length) return []
  const nearest = () => table.vectorSearch(vector).distanceType('cosine').refineFactor(refined)
  const query = () => (withoutCopies && hasCopies ? nearest().where(noCopy) : nearest())
  return readBounded(table, query, { purpose: 'embedded', score: '_distance', limit, cache })
}

/** Reads range by range, one range ahead. LanceDB's own stream reads ahead without a limit. */
export async function* scanRanges<Row>(
  purpose: Purpose,
  rowsOf: (answer: ArrowTable) => Row[],
  use: (read: (table: Table) => Promise<Row[]>) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let atOnce = scannedRows
  const from = (offset: number) =>
    use(async (table) => {
      if (await hasLongRows(table)) atOnce = scannedLongRows
      const { [purpose]: columns } = await columnsOf(table)
      return rowsOf(await table.query().select(columns).limit(atOnce).offset(offset).toArrow())
    })
  let next: Promise<Row[]> | undefined = from(0)
  for (let offset = 0; next; ) {
    const rows: Row[] = await next
    offset += atOnce
    next = rows.length === atOnce ? from(offset) : undefined
    next?.catch(() => undefined)
    if (rows.length > 0) yield rows
  }
}

export async function statisticsBytes(table: Table): Promise<Uint8Array> {
  return cellOf(table, 'bytes')
}

export async function originsBytes(table: Table): Promise<Uint8Array | undefined> {
  const { fields } = await table.schema()
  return fields.some(({ name }) => name === 'origins') ? cellOf(table, 'origins') : undefined
}

async function cellOf(table: Table, column: string): Promise<Uint8Array> {
  const answer: ArrowTable = await table.query().select([column]).toArrow()
  return answer.get(0)?.[column]
}
