import { fromPlain, type PackedChunks, packChunks } from './packed-chunks.ts'
import { type PackedRows, placeInPage, type SnippetRow } from './snippet-store.ts'
import { type Texts, textAt, textsBuilder } from './texts.ts'

/** Collects rows from the chunks of pages. */
export function rowsBuilder() {
  const [row, terms, path, url, headings] = [textsBuilder(), textsBuilder(), textsBuilder(), textsBuilder(), textsBuilder()]
  let page: number[] = []
  let place: number[] = []
  let tokens: number[] = []
  let copy: number[] = []
  let breadcrumb: number[] = [0]
  const add = (chunks: PackedChunks, index: number, identity: { id: string; page: number; place: number; isCopy: boolean }) => {
    const { texts, hashes, breadcrumbs } = chunks
    row.copy(
      texts,
      index,
      `{"id":${JSON.stringify(identity.id)},"page":${identity.page},${identity.isCopy ? '"copy":true,' : ''}`,
      1,
    )
    terms.copy(texts, hashes.length + index)
    url.copy(texts, 2 * hashes.length + index)
    path.copy(texts, 3 * hashes.length + index)
    for (let at = breadcrumbs[index] as number; at < (breadcrumbs[index + 1] as number); at++)
      headings.copy(texts, 4 * hashes.length + at)
    breadcrumb.push(headings.count)
    page.push(identity.page)
    place.push(identity.place)
    tokens.push(chunks.tokens[index] as number)
    copy.push(identity.isCopy ? 1 : 0)
  }
  return {
    get length() {
      return page.length
    },
    get sizeBytes() {
      return row.sizeBytes + terms.sizeBytes
    },
    /** Adds chunk `place` of a page. `isCopy`: an earlier page has the same section. */
    add: (chunks: PackedChunks, place: number, page: number, isCopy = false) =>
      add(chunks, place, { id: `${page}-${place}`, page, place, isCopy }),
    /** Adds a row with its id. */
    addRow(from: SnippetRow) {
      add(packChunks([from]), 0, { id: from.id, page: from.page, place: placeInPage(from.id), isCopy: from.copy === true })
    },
    /** The rows so far. The builder starts again. */
    take(): PackedRows {
      const taken = {
        length: page.length,
        ...{ row: row.take(), terms: terms.take(), path: path.take(), url: url.take(), headings: headings.take() },
        breadcrumb: Int32Array.from(breadcrumb),
        page: Int32Array.from(page),
        place: Int32Array.from(place),
        tokens: Int32Array.from(tokens),
        copy: Int32Array.from(copy),
      }
      page = []
      place = []
      tokens = []
      copy = []
      breadcrumb = [0]
      return taken
    },
  }
}

export function packRows(rows: SnippetRow[]): PackedRows {
  const builder = rowsBuilder()
  for (const row of rows) builder.addRow(row)
  const packed = builder.take()
  return rows.some(({ vector }) => vector) ? { ...packed, vectors: rows.map(({ vector }) => vector) } : packed
}

export function unpackRows({ length, row, terms, vectors }: PackedRows): SnippetRow[] {
  return Array.from({ length }, (_, i) => {
    const unpacked = fromPlain<SnippetRow>(JSON.parse(textAt(row, i)), textAt(terms, i))
    const vector = vectors?.[i]
    return vector ? { ...unpacked, vector } : unpacked
  })
}

/** Rows `from` to `to`, in the same memory. */
export function sliceRows(rows: PackedRows, from: number, to = rows.length): PackedRows {
  const slice = ({ starts, bytes }: Texts): Texts => ({ starts: starts.subarray(from, to + 1), bytes })
  const { headings, vectors } = rows
  return {
    length: to - from,
    ...{ row: slice(rows.row), terms: slice(rows.terms), path: slice(rows.path), url: slice(rows.url), headings },
    breadcrumb: rows.breadcrumb.subarray(from, to + 1),
    page: rows.page.subarray(from, to),
    place: rows.place.subarray(from, to),
    tokens: rows.tokens.subarray(from, to),
    copy: rows.copy.subarray(from, to),
    ...(vectors && { vectors: vectors.slice(from, to) }),
  }
}

/** Size of the JSON and terms of all rows. */
export const sizeOfRows = ({ length, row, terms }: PackedRows): number => sizeAt(row, 0, length) + sizeAt(terms, 0, length)

/** Size of the JSON and terms of row `index`. */
export const rowBytes = ({ row, terms }: PackedRows, index: number): number => sizeAt(row, index) + sizeAt(terms, index)

const sizeAt = ({ starts }: Texts, from: number, to = from + 1): number => (starts[to] as number) - (starts[from] as number)

/** The buffers to transfer, so that rows pass to another thread without being copied. */
export const rowBuffers = (rows: PackedRows): ArrayBuffer[] =>
  [rows.row, rows.terms, rows.path, rows.url, rows.headings]
    .flatMap(({ starts, bytes }) => [starts.buffer, bytes.buffer])
    .concat([rows.breadcrumb.buffer, rows.page.buffer, rows.place.buffer, rows.tokens.buffer, rows.copy.buffer])
