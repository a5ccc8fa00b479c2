import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { type CatalogRecord, type HostedLibrary, hasContent } from './catalog-record.ts'

/** The facts of a library that a search reads: all except the address of its repository. */
export type NamedLibrary = Omit<HostedLibrary, 'sourceUrl'>

/** Libraries in `unserved` have no content yet: their first parse is unfinished or has failed. */
export type NamedLists = { libraries: NamedLibrary[]; unserved: NamedLibrary[] }

/** One line of JSON per library, compressed. */
export function packLibraries(records: AsyncIterable<CatalogRecord>): Readable {
  return pipeline(Readable.from(linesOf(records)), createGzip(), ignore)
}

/** Throws if the data is incomplete. */
export async function unpackLibraries(packed: Readable): Promise<NamedLists> {
  const lists: NamedLists = { libraries: [], unserved: [] }
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of pipeline(packed, createGunzip(), ignore)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const library = JSON.parse(line)
      const list = library.unserved ? lists.unserved : lists.libraries
      list.push(library)
    }
  }
  if (rest !== '') throw new Error('The snapshot of the catalog is incomplete.')
  return lists
}

async function* linesOf(records: AsyncIterable<CatalogRecord>): AsyncGenerator<string> {
  for await (const record of records) {
    const { sourceUrl: _, ...named } = record.library
    yield `${JSON.stringify(hasContent(record) ? named : { ...named, unserved: true })}\n`
  }
}

/** Errors reach the reader of the last stream. */
const ignore = () => undefined
