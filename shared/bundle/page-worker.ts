import { parentPort } from 'node:worker_threads'
import { type PackedUnits, packUnits, unitBuffers } from '../search/packed-units.ts'
import type { PageCounts } from '../search/statistics.ts'
import { type BundlePage, readPage } from './read-page.ts'

export type PagesRequest = BundlePage[]
export type PackedPage = { units: PackedUnits; counts: PageCounts }
export type PagesReply = { pages: PackedPage[] }

parentPort?.on('message', (request: PagesRequest) => {
  const pages = request.map(packedPage)
  parentPort?.postMessage(
    { pages } satisfies PagesReply,
    pages.flatMap(({ units }) => unitBuffers(units)),
  )
})

export function packedPage(page: BundlePage): PackedPage {
  const { units, counts } = readPage(page)
  return { units: packUnits(units), counts }
}
