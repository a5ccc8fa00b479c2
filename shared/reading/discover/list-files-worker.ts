import { parentPort } from 'node:worker_threads'
import { type DiscoverLimits, discover } from './discover.ts'
import type { DocumentLanguages } from './languages/choose-languages.ts'
import { type FolderPatterns, missingFolders } from './missing-folders.ts'
import type { CloneSelection } from './selection.ts'
import type { Skipped } from './skipped.ts'

export type Listing =
  | { documents: { root: string; selection: CloneSelection; limits: DiscoverLimits } }
  | { sources: { root: string; selection: CloneSelection; maxFiles: number } }
  /** Lists the patterns that match nothing as `skipped`. */
  | { missing: { root: string; patterns: FolderPatterns } }
/** Part of a listing; the last part has `done`. */
export type ListingPart = {
  paths: string[]
  /** The language of each path, '' if it is unknown or if the documents have one language. */
  docsLanguages: string[]
  skipped: Skipped[]
  bytes: number
  languages: DocumentLanguages
  done: boolean
}

/** Small enough that receiving one part does not block the main thread. */
const partSize = 1_000

const noLanguages: DocumentLanguages = { existing: [], read: [], missing: [] }
const empty: Omit<ListingPart, 'done'> = { paths: [], docsLanguages: [], skipped: [], bytes: 0, languages: noLanguages }

async function list(listing: Listing): Promise<Omit<ListingPart, 'done'>> {
  if ('sources' in listing) {
    const { root, selection, maxFiles } = listing.sources
    const { sourceFiles } = await import('./source-files.ts')
    return { ...empty, paths: await sourceFiles(root, selection, maxFiles) }
  }
  if ('missing' in listing) {
    const { root, patterns } = listing.missing
    return { ...empty, skipped: await missingFolders(root, patterns) }
  }
  const { root, selection, limits } = listing.documents
  const documents: { path: string; language?: string | undefined }[] = []
  const skipped: Skipped[] = []
  let bytes = 0
  let languages = noLanguages
  const onLanguages = (found: DocumentLanguages) => {
    languages = found
  }
  for await (const entry of discover(root, selection, limits, onLanguages)) {
    if ('reason' in entry) skipped.push(entry)
    else {
      documents.push(entry)
      bytes += entry.sizeBytes
    }
  }
  documents.sort((a, b) => (a.path < b.path ? -1 : 1))
  const docsLanguages = documents.map(({ language = '' }) => language)
  return { paths: documents.map(({ path }) => path), docsLanguages, skipped, bytes, languages }
}

parentPort?.on('message', async (listing: Listing) => {
  const { paths, docsLanguages, skipped, bytes, languages } = await list(listing)
  for (let at = 0; at < Math.max(paths.length, skipped.length); at += partSize) {
    const [from, to] = [at, at + partSize]
    const part = { paths: paths.slice(from, to), docsLanguages: docsLanguages.slice(from, to), skipped: skipped.slice(from, to) }
    parentPort?.postMessage({ ...empty, ...part, done: false } satisfies ListingPart)
  }
  parentPort?.postMessage({ ...empty, bytes, languages, done: true } satisfies ListingPart)
})
