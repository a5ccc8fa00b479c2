import type { StoredSnippet } from '../search/rows/snippet-store.ts'
import { isCode } from '../snippet.ts'
import type { BundleHead } from './bundle-element.ts'
import { bundleSnippet } from './bundle-snippet.ts'

/** An element to write. `rows` is called twice and returns the same rows in the same order. */
export type BundleSource = { head: BundleHead; rows(): AsyncIterable<StoredSnippet[]> }

export type ElementCounts = { codeSnippets: number; infoSnippets: number }

/** Longer strings would live until the next full garbage collection. */
const chunkChars = 64 * 1024
const [start, code, info, endOfElement, end] = [
  '{"libraries":[',
  ',"codeSnippets":[',
  '],"infoSnippets":[',
  ']}',
  '],"force":false}',
]

/**
 * Writes elements as the body of an import, `{"libraries":[…],"force":false}`, in chunks of about 64 KB. Memory holds one batch of rows: each of
 * the two lists of an element is a pass over its rows. Output that ends early is not valid JSON. Returns the counts of each element.
 */
export async function* writeBundle(sources: Iterable<BundleSource>): AsyncGenerator<Buffer, ElementCounts[]> {
  const written: ElementCounts[] = []
  let open = start
  for (const source of sources) {
    const each = yield* writeElement(source, open)
    written.push(each)
    open = ','
  }
  yield Buffer.from(written.length === 0 ? start + end : end)
  return written
}

/** Size of `writeBundle`'s output; `bundleBytes` is the sum of `snippetBytes` over the rows, `snippets` their number. */
export function bundleSize(elements: { head: BundleHead; snippets: number; bundleBytes: number }[]): number {
  const frame = code.length + info.length + endOfElement.length - 1
  const sizes = elements.map(
    ({ head, snippets, bundleBytes }) =>
      Buffer.byteLength(JSON.stringify(head)) + frame + bundleBytes + snippets * versionBytes(head.branch),
  )
  return sizes.reduce((sum, each) => sum + each, start.length + end.length + Math.max(0, elements.length - 1))
}

const versionBytes = (branch: string): number => (branch === '' ? 0 : Buffer.byteLength(`,"version":${JSON.stringify(branch)}`))

/** Size of a row in a bundle, with its separator and without its version. */
export const snippetBytes = (row: StoredSnippet, order: number): number =>
  1 + Buffer.byteLength(JSON.stringify(bundleSnippet(row, order)))

async function* writeElement({ head, rows }: BundleSource, open: string): AsyncGenerator<Buffer, ElementCounts> {
  const wanted = (row: StoredSnippet) => isCode(row)
  const list = (isWanted: (row: StoredSnippet) => boolean) => ({ batches: rows(), isWanted, version: head.branch })
  const codeSnippets = yield* writeList(list(wanted), open + JSON.stringify(head).slice(0, -1) + code)
  const infoSnippets = yield* writeList(
    list((row) => !wanted(row)),
    info,
  )
  yield Buffer.from(endOfElement)
  return { codeSnippets, infoSnippets }
}

/** Yields a chunk for the first batch even if no row matches, so that the client receives data early. */
async function* writeList(
  {
    batches,
    isWanted,
    version,
  }: { batches: AsyncIterable<StoredSnippet[]>; isWanted(row: StoredSnippet): boolean; version: string },
  open: string,
): AsyncGenerator<Buffer, number> {
  let waiting = open
  let order = 0
  let written = 0
  for await (const rows of batches) {
    for (const row of rows) {
      // Always one character before a snippet, so that the size is a sum.
      if (isWanted(row)) waiting += `${written++ === 0 ? '\n' : ','}${JSON.stringify(bundleSnippet(row, order, version))}`
      order += 1
      if (waiting.length < chunkChars) continue
      yield Buffer.from(waiting)
      waiting = ''
    }
    if (waiting !== '') yield Buffer.from(waiting)
    waiting = ''
  }
  if (waiting !== '') yield Buffer.from(waiting)
  return written
}
