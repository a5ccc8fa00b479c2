import type { Table } from '@lancedb/lancedb'
import type { Table as ArrowTable, Data, DataType, RecordBatch, Schema } from 'apache-arrow'
import { AppError } from '../errors.ts'
import { rowBytes } from '../search/rows/pack-rows.ts'
import { fromPlain, type PlainRow } from '../search/rows/packed-chunks.ts'
import type { PackedRows, SnippetRow, StoredSnippet } from '../search/rows/snippet-store.ts'
import { formatMetadata } from './generation-format.ts'
import { loadArrow } from './load-lance.ts'
import { listColumn, numberColumn, textColumn } from './text-column.ts'

/** Names of columns for serving a snippet, for ranking it, and for ranking it with its vector. */
type Columns = {
  stored: string[]
  ranked: string[]
  embedded: string[]
  /** The length of the vectors; undefined if there are none. */
  dimensions: number | undefined
  /** False in the first format, which has no copies. */
  hasCopies: boolean
}
/** A reason to read a row. */
export type Purpose = 'stored' | 'ranked' | 'embedded'

const columnsByTable = new WeakMap<Table, Promise<Columns>>()

/** The columns that a table has. */
export function columnsOf(table: Table): Promise<Columns> {
  const asked = columnsByTable.get(table) ?? readColumns(table)
  columnsByTable.set(table, asked)
  asked.catch(() => columnsByTable.delete(table))
  return asked
}

async function readColumns(table: Table): Promise<Columns> {
  const { fields } = await table.schema()
  const dimensions: number | undefined = fields.find(({ name }) => name === 'vector')?.type.listSize
  const hasCopies = fields.some(({ name }) => name === 'copy')
  const ranked = ['row', 'terms']
  return { stored: ['row'], ranked, embedded: dimensions === undefined ? ranked : [...ranked, 'vector'], dimensions, hasCopies }
}

/**
 * The schema of a generation with vectors of `dimensions` numbers, or without vectors. `row` is JSON of a row without its terms
 * and vector, because each column makes a question slower. The columns after `terms` are copies: `bytes` is the size of both, and
 * the others list the pages.
 */
export function rowSchema(dimensions: number | undefined, format: number): Schema {
  const { Field, FixedSizeList, Float32, Int32, List, Schema: ArrowSchema, Utf8 } = loadArrow()
  const field = (name: string, type: DataType) => new Field(name, type, false)
  const [text, number] = [new Utf8(), new Int32()]
  const fields = [
    field('row', text),
    field('terms', text),
    field('bytes', number),
    field('page', number),
    field('path', text),
    field('url', text),
    field('breadcrumb', new List(field('item', text))),
    field('tokens', number),
    field('place', number),
    field('copy', number),
  ]
  if (dimensions === undefined) return new ArrowSchema(fields, formatMetadata(format))
  const vector = new FixedSizeList(dimensions, new Field('item', new Float32(), true))
  return new ArrowSchema([...fields, field('vector', vector)], formatMetadata(format))
}

/**
 * Converts rows to columns without copying them. Throws internal_error for a vector of another length, which LanceDB would cut or pad.
 */
export function toArrow(rows: PackedRows, schema: Schema, dimensions: number | undefined): RecordBatch {
  const { makeData, RecordBatch, Struct } = loadArrow()
  const { length } = rows
  if (dimensions === undefined && rows.vectors?.some((vector) => vector)) throw wrongLength(0)
  const children = schema.fields.map(({ name, type }) => columnOf(rows, name, type, dimensions ?? 0))
  const data = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children: children as never })
  return new RecordBatch(schema, data as never)
}

function columnOf(rows: PackedRows, name: string, type: DataType, dimensions: number): Data {
  const { length } = rows
  if (name === 'row' || name === 'terms' || name === 'path' || name === 'url') return textColumn(rows[name], length)
  if (name === 'page' || name === 'place' || name === 'tokens' || name === 'copy') return numberColumn(rows[name])
  if (name === 'bytes') return numberColumn(Int32Array.from({ length }, (_, i) => rowBytes(rows, i)))
  if (name === 'breadcrumb') return listColumn(type, rows.breadcrumb, rows.headings, length)
  return vectorColumn(type, rows.vectors ?? [], length, dimensions)
}

function vectorColumn(type: DataType, vectors: (Float32Array | undefined)[], length: number, dimensions: number): Data {
  const { Float32, makeData } = loadArrow()
  const numbers = new Float32Array(length * dimensions)
  for (let i = 0; i < length; i++) {
    const vector = vectors[i]
    if (vector?.length !== dimensions) throw wrongLength(dimensions, vector)
    numbers.set(vector, i * dimensions)
  }
  const child = makeData({ type: new Float32(), length: numbers.length, nullCount: 0, data: numbers })
  return makeData({ type: type as never, length, nullCount: 0, child: child as never })
}

const wrongLength = (expected: number, vector?: Float32Array): AppError =>
  new AppError('internal_error', `A vector of ${vector?.length ?? 0} numbers does not fit the others, which have ${expected}.`)

export function snippetsOf(answer: ArrowTable): StoredSnippet[] {
  const packed = answer.getChild('row')
  return Array.from({ length: answer.numRows }, (_, i) => {
    const { lengths, wordVector, toCode, copy, ...snippet }: PlainRow<SnippetRow> = JSON.parse(packed?.get(i))
    return snippet
  })
}

/** Reads rows, with their vectors if they were selected. `wanted` are the numbers of the rows. */
export function rowsOf(answer: ArrowTable, wanted: Iterable<number> = Array(answer.numRows).keys()): SnippetRow[] {
  const [packed, terms, vector] = [answer.getChild('row'), answer.getChild('terms'), answer.getChild('vector')]
  return Array.from(wanted, (i) => {
    const row = fromPlain<SnippetRow>(JSON.parse(packed?.get(i)), terms?.get(i))
    return vector ? { ...row, vector: vector.get(i).toArray().slice() as Float32Array } : row
  })
}
