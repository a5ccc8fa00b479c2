import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { writeBundle } from '../../../shared/bundle/write-bundle.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { head } from '../../fixtures/bundle.ts'
import type { Library } from '../documentation.ts'
import { fill, generationOf } from './fill.ts'
import { prepare } from './prepare.ts'

/** A body of an import on disk. */
export type Body = { path: string; snippets: number; libraries: number; copies: number; read(): AsyncIterable<Buffer> }

/** Parses the libraries and exports them as the product does, again under other names until there are `minSnippets`. */
export async function exportedBody(folder: string, libraries: Library[], minSnippets: number): Promise<Body> {
  const dataDir = join(folder, 'exported')
  await mkdir(folder, { recursive: true })
  await prepare(dataDir, {})
  const { ids, snippets } = await fill(dataDir, libraries)
  const copies = Math.ceil(minSnippets / snippets)
  const store = lanceSnippets(join(dataDir, 'snippets'))
  const path = join(folder, 'body.json')
  const sources = Array.from({ length: copies }, (_, copy) =>
    ids.map((id, number) => ({
      head: head({ project: `${id}-${copy}`, title: id }),
      rows: () => store.scan(generationOf(number)),
    })),
  ).flat()
  await pipeline(Readable.from(writeBundle(sources)), createWriteStream(path))
  store.close()
  return { path, snippets: snippets * copies, libraries: sources.length, copies, read: () => createReadStream(path) }
}
