import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { type CatalogRecord, type HostedLibrary, hasContent } from './catalog-record.ts'
import { checkFormat, itemFormat } from './item-format.ts'

/** The facts of a library that a search reads: all except the address of its repository. */
export type NamedLibrary = Omit<HostedLibrary, 'sourceUrl'>

/** Libraries in `unserved` have no content yet: their first parse is unfinished or has failed. */
export type NamedLists = { libraries: NamedLibrary[]; unserved: NamedLibrary[] }

/** A line with the format, and one line of JSON per library, compressed. */
export const packLines = (lines: AsyncIterable<string>): Readable =>
  pipeline(Readable.from(withFormat(lines)), createGzip(), ignore)

async function* withFormat(lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield `${JSON.stringify({ format: itemFormat })}\n`
  yield* lines
}

/** The line of a library, without its end. */
export function libraryLine(record: CatalogRecord): string {
  const { sourceUrl: _, ...named } = record.library
  return JSON.stringify(hasContent(record) ? named : { ...named, unserved: true })
}

/** Throws if the data is incomplete; temporarily_unavailable if it has a newer format. */
export async function unpackLibraries(packed: Readable): Promise<NamedLists> {
  const lists: NamedLists = { libraries: [], unserved: [] }
  for await (const line of unpackLines(packed)) {
    const library = JSON.parse(line)
    const list = library.unserved ? lists.unserved : lists.libraries
    list.push(library)
  }
  return lists
}

/** The lines of all libraries. Throws as `unpackLibraries` does. */
export async function* unpackLines(packed: Readable): AsyncGenerator<string> {
  let hasFormat = false
  for await (const line of allLines(packed)) {
    if (hasFormat) yield line
    else checkFormat(JSON.parse(line).format, 'The list of libraries')
    hasFormat = true
  }
  if (!hasFormat) throw new Error('The snapshot of the catalog is incomplete.')
}

async function* allLines(packed: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of pipeline(packed, createGunzip(), ignore)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') throw new Error('The snapshot of the catalog is incomplete.')
}

/** Errors reach the reader of the last stream. */
const ignore = () => undefined
