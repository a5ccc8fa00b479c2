import { screeningNotes } from '../reading/analyse-page.ts'
import type { Skipped } from '../reading/discover/skipped.ts'
import { serveBatches } from '../reading/serve-batches.ts'
import { chunkBuffers, type PackedChunks, packChunks } from '../search/rows/packed-chunks.ts'
import type { PageCounts } from '../search/statistics/statistics.ts'
import { type BundlePage, readPage } from './read-page.ts'

export type PagesRequest = BundlePage[]
/** `notes` are about flagged passages and masked secrets. */
export type PackedPage = { chunks: PackedChunks; counts: PageCounts; notes: Skipped[] }
export type PagesReply = { pages: PackedPage[] }

export const packedPages = (request: PagesRequest): PackedPage[] => request.map(packedPage)

function packedPage(page: BundlePage): PackedPage {
  const { chunks, counts, masked } = readPage(page)
  const packed = packChunks(chunks)
  return { chunks: packed, counts, notes: screeningNotes(packed.flags, masked).map((reason) => ({ path: page.path, reason })) }
}

serveBatches(
  (request: PagesRequest): PagesReply => ({ pages: packedPages(request) }),
  ({ pages }) => pages.flatMap(({ chunks }) => chunkBuffers(chunks)),
)
