import { serveBatches } from '../reading/serve-batches.ts'
import { chunkBuffers, type PackedChunks, packChunks } from '../search/rows/packed-chunks.ts'
import type { PageCounts } from '../search/statistics/statistics.ts'
import { type BundlePage, readPage } from './read-page.ts'

export type PagesRequest = BundlePage[]
export type PackedPage = { chunks: PackedChunks; counts: PageCounts }
export type PagesReply = { pages: PackedPage[] }

export const packedPages = (request: PagesRequest): PackedPage[] => request.map(packedPage)

function packedPage(page: BundlePage): PackedPage {
  const { chunks, counts } = readPage(page)
  return { chunks: packChunks(chunks), counts }
}

serveBatches(
  (request: PagesRequest): PagesReply => ({ pages: packedPages(request) }),
  ({ pages }) => pages.flatMap(({ chunks }) => chunkBuffers(chunks)),
)
