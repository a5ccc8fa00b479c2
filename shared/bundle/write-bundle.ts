import type { StoredSnippet } from '../search/snippet-store.ts'
import { isCode } from '../snippet.ts'
import type { BundleHead } from './bundle-element.ts'
import { bundleSnippet } from './bundle-snippet.ts'

/** One element to be written. `rows` is called twice and gives the same rows in the same order. */
export type BundleSource = { head: BundleHead; rows(): AsyncIterable<StoredSnippet[]> }

export type ElementCounts = { codeSnippets: number; infoSnippets: number }

/** Longer texts would live until the next full garbage collection. */
const pieceCharacters = 64 * 1024
const [start, code, info, endOfElement, end] = [
  '{"libraries":[',
  ',"codeSnippets":[',
  '],"infoSnippets":[',
  ']}',
  '],"force":false}',
]

/**
 * Elements as the body of an import, `{"libraries":[…],"force":false}`, in chunks of some 64 KB. Nothing is held but a
 * batch of rows: the two lists of an element are two passes over its rows. What breaks off on the way is not valid JSON. Returns what each element held.
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

/** Of what `writeBundle` writes, where `bundleBytes` is the sum of `snippetBytes` over the rows. */
export function bundleSize(elements: { head: BundleHead; bundleBytes: number }[]): number {
  const frame = code.length + info.length + endOfElement.length - 1
  const sizes = elements.map(({ head, bundleBytes }) => Buffer.byteLength(JSON.stringify(head)) + frame + bundleBytes)
  return sizes.reduce((sum, each) => sum + each, start.length + end.length + Math.max(0, elements.length - 1))
}

/** What a row adds to a bundle, with its separator. */
export const snippetBytes = (row: StoredSnippet, order: number): number =>
  1 + Buffer.byteLength(JSON.stringify(bundleSnippet(row, order)))

async function* writeElement({ head, rows }: BundleSource, open: string): AsyncGenerator<Buffer, ElementCounts> {
  const wanted = (row: StoredSnippet) => isCode(row)
  const codeSnippets = yield* writeList(rows(), wanted, open + JSON.stringify(head).slice(0, -1) + code)
  const infoSnippets = yield* writeList(rows(), (row) => !wanted(row), info)
  yield Buffer.from(endOfElement)
  return { codeSnippets, infoSnippets }
}

/** The first chunk comes with the first batch, also where none of its rows is wanted: who waits for a sign of life has it. */
async function* writeList(
  batches: AsyncIterable<StoredSnippet[]>,
  wanted: (row: StoredSnippet) => boolean,
  open: string,
): AsyncGenerator<Buffer, number> {
  let waiting = open
  let order = 0
  let written = 0
  for await (const rows of batches) {
    for (const row of rows) {
      // One character before each snippet, whichever: so the size is a sum.
      if (wanted(row)) waiting += `${written++ === 0 ? '\n' : ','}${JSON.stringify(bundleSnippet(row, order))}`
      order += 1
      if (waiting.length < pieceCharacters) continue
      yield Buffer.from(waiting)
      waiting = ''
    }
    if (waiting !== '') yield Buffer.from(waiting)
    waiting = ''
  }
  if (waiting !== '') yield Buffer.from(waiting)
  return written
}
