import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { type CatalogRecord, type HostedLibrary, hasContent } from './catalog-record.ts'

/** What a search reads of a library: all but where its repository lies. */
export type NamedLibrary = Omit<HostedLibrary, 'sourceUrl'>

/** One line of JSON a library that has content, packed. */
export function packLibraries(records: AsyncIterable<CatalogRecord>): Readable {
  return pipeline(Readable.from(linesOf(records)), createGzip(), ignore)
}

/** Throws where a part is missing. */
export async function unpackLibraries(packed: Readable): Promise<NamedLibrary[]> {
  const libraries: NamedLibrary[] = []
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of pipeline(packed, createGunzip(), ignore)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) libraries.push(JSON.parse(line))
  }
  if (rest !== '') throw new Error('the snapshot of the catalog breaks off')
  return libraries
}

async function* linesOf(records: AsyncIterable<CatalogRecord>): AsyncGenerator<string> {
  for await (const record of records) {
    if (!hasContent(record)) continue
    const { sourceUrl: _, ...named } = record.library
    yield `${JSON.stringify(named)}\n`
  }
}

/** A failure reaches whoever reads the last stream. */
const ignore = () => undefined
