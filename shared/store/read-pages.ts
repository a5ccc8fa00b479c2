import type { Table } from '@lancedb/lancedb'
import type { Table as ArrowTable } from 'apache-arrow'
import type { StoredPage, StoredSnippet } from '../search/rows/snippet-store.ts'
import { addressWithoutLine, fileOfAddress } from '../text/file-of-address.ts'
import { columnsOf, snippetsOf } from './lance-rows.ts'

/** Rows without content are short. */
const scannedRows = 10_000
/** A page that includes more is found by the first of them. */
const maxIncludes = 1_000

/** The pages of a generation in the order of writing. Reads no content. */
export async function readPages(table: Table): Promise<StoredPage[]> {
  const pages = new Map<number, StoredPage>()
  for (let offset = 0; ; offset += scannedRows) {
    const rows: ArrowTable = await table
      .query()
      .select(['page', 'path', 'url', 'breadcrumb', 'tokens'])
      .limit(scannedRows)
      .offset(offset)
      .toArrow()
    addRows(pages, rows)
    if (rows.numRows < scannedRows) return [...pages.values()]
  }
}

function addRows(pages: Map<number, StoredPage>, rows: ArrowTable): void {
  const [page, path, url, breadcrumb, tokens] = ['page', 'path', 'url', 'breadcrumb', 'tokens'].map((name) => rows.getChild(name))
  for (let i = 0; i < rows.numRows; i++) {
    const number: number = page?.get(i)
    const address = addressWithoutLine(String(url?.get(i)))
    const counted = pages.get(number) ?? {
      ...{ page: number, path: path?.get(i), title: breadcrumb?.get(i)?.get(0) ?? '' },
      ...{ url: address, snippets: 0, tokens: 0 },
    }
    pages.set(number, counted)
    counted.snippets++
    counted.tokens += tokens?.get(i)
    addAddress(counted, address)
  }
}

/** A page has its own address, even if it begins with the text of another file. */
function addAddress(page: StoredPage, address: string): void {
  const file = fileOfAddress(address)
  if (file === page.path) page.url = address
  else if (file !== undefined && page.path !== '') addInclude(page, file)
}

function addInclude(page: StoredPage, file: string): void {
  page.includes ??= []
  if (page.includes.length < maxIncludes && !page.includes.includes(file)) page.includes.push(file)
}

/** The snippets of one page in its order, without the first `offset`. */
export async function readPageSnippets(
  table: Table,
  page: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<StoredSnippet[]> {
  const { stored } = await columnsOf(table)
  return snippetsOf(
    await table
      .query()
      .where(`page = ${Math.trunc(page)}`)
      .select(stored)
      .limit(limit)
      .offset(offset)
      .toArrow(),
  )
}

/** The member of the JSON in `row`. Inside a text, a quotation mark follows a backslash. */
const isFlagged = `row LIKE '%,"flag":{%'`

/** The flagged snippets of a generation, without the first `offset`. Reads all rows, because few are flagged and no column says so. */
export async function readFlagged(
  table: Table,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ snippets: StoredSnippet[]; total: number }> {
  const { stored } = await columnsOf(table)
  const found = table.query().where(isFlagged).select(stored).limit(limit).offset(offset)
  const [total, rows] = await Promise.all([table.countRows(isFlagged), found.toArrow()])
  return { snippets: snippetsOf(rows), total }
}
