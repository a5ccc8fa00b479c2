import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { type CatalogRecord, type HostedLibrary, hasContent } from './catalog-record.ts'

/** The facts of a library that a search reads: all except the address of its repository. */
export type NamedLibrary = Omit<HostedLibrary, 'sourceUrl'>

/** Libraries in `unserved` have no content yet: their first parse is unfinished or has failed. */
export type NamedLists = { libraries: NamedLibrary[]; unserved: NamedLibrary[] }

/** One line of JSON per library, compressed. */
export const packLines = (lines: AsyncIterable<string>): Readable => pipeline(Readable.from(lines), createGzip(), ignore)

/** The line of a library, without its end. */
export function libraryLine(record: CatalogRecord): string {
  const { sourceUrl: _, ...named } = record.library
  return JSON.stringify(hasContent(record) ? named : { ...named, unserved: true })
}

/** Throws if the data is incomplete. */
export async function unpackLibraries(packed: Readable): Promise<NamedLists> {
  const lists: NamedLists = { libraries: [], unserved: [] }
  for await (const line of unpackLines(packed)) {
    const library = JSON.parse(line)
    const list = library.unserved ? lists.unserved : lists.libraries
    list.push(library)
  }
  return lists
}

/** The lines of all libraries. Throws if the data is incomplete. */
export async function* unpackLines(packed: Readable): AsyncGenerator<string> {
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
