import { parentPort } from 'node:worker_threads'
import { chunkBuffers, type PackedChunks, packChunks } from '../search/rows/packed-chunks.ts'
import type { PageCounts } from '../search/statistics/statistics.ts'
import { type BundlePage, readPage } from './read-page.ts'

export type PagesRequest = BundlePage[]
export type PackedPage = { chunks: PackedChunks; counts: PageCounts }
export type PagesReply = { pages: PackedPage[] }

parentPort?.on('message', (request: PagesRequest) => {
  const pages = packedPages(request)
  parentPort?.postMessage(
    { pages } satisfies PagesReply,
    pages.flatMap(({ chunks }) => chunkBuffers(chunks)),
  )
})

export const packedPages = (request: PagesRequest): PackedPage[] => request.map(packedPage)

function packedPage(page: BundlePage): PackedPage {
  const { chunks, counts } = readPage(page)
  return { chunks: packChunks(chunks), counts }
}
