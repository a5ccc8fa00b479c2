import { parentPort } from 'node:worker_threads'
import { type DiscoverLimits, discover } from './discover.ts'
import { type FolderPatterns, missingFolders } from './missing-folders.ts'
import type { CloneSelection } from './selection.ts'
import type { Skipped } from './skipped.ts'

export type Listing =
  | { documents: { root: string; selection: CloneSelection; limits: DiscoverLimits } }
  | { sources: { root: string; selection: CloneSelection; maxFiles: number } }
  /** Lists the patterns that match nothing as `skipped`. */
  | { missing: { root: string; patterns: FolderPatterns } }
/** Part of a listing; the last part has `done`. */
export type ListingPart = { paths: string[]; skipped: Skipped[]; bytes: number; done: boolean }

/** Small enough that receiving one part does not block the main thread. */
const partSize = 1_000

async function list(listing: Listing): Promise<Omit<ListingPart, 'done'>> {
  if ('sources' in listing) {
    const { root, selection, maxFiles } = listing.sources
    const { sourceFiles } = await import('./source-files.ts')
    return { paths: await sourceFiles(root, selection, maxFiles), skipped: [], bytes: 0 }
  }
  if ('missing' in listing) {
    const { root, patterns } = listing.missing
    return { paths: [], skipped: await missingFolders(root, patterns), bytes: 0 }
  }
  const { root, selection, limits } = listing.documents
  const paths: string[] = []
  const skipped: Skipped[] = []
  let bytes = 0
  for await (const entry of discover(root, selection, limits)) {
    if ('reason' in entry) skipped.push(entry)
    else {
      paths.push(entry.path)
      bytes += entry.sizeBytes
    }
  }
  return { paths: paths.sort(), skipped, bytes }
}

parentPort?.on('message', async (listing: Listing) => {
  const { paths, skipped, bytes } = await list(listing)
  for (let at = 0; at < Math.max(paths.length, skipped.length); at += partSize) {
    const part = { paths: paths.slice(at, at + partSize), skipped: skipped.slice(at, at + partSize), bytes: 0, done: false }
    parentPort?.postMessage(part satisfies ListingPart)
  }
  parentPort?.postMessage({ paths: [], skipped: [], bytes, done: true } satisfies ListingPart)
})
