import type { ReaderPool } from '../../reading/reader-pool.ts'
import { mapOrdered } from '../../time/map-ordered.ts'
import type { IndexProgress } from './index-report.ts'

const scanBatchFiles = 25
const concurrentScans = 4

type FindPagesPorts = { readers: Pick<ReaderPool, 'includes'>; progress: Pick<IndexProgress, 'handedOut' | 'handedBack'> }
type Clone = { root: string; fileBytes: number; suspects: ReadonlySet<string> }

/** The documents that no other document includes, in the given order. Suspects are not scanned, since a scan parses them. */
export async function findPages(
  { readers, progress }: FindPagesPorts,
  { root, fileBytes, suspects }: Clone,
  documents: string[],
  signal: AbortSignal,
): Promise<string[]> {
  const pages = new Set(documents)
  const trusted = documents.filter((path) => !suspects.has(path))
  const batches = Array.from({ length: Math.ceil(trusted.length / scanBatchFiles) }, (_, i) =>
    trusted.slice(i * scanBatchFiles, (i + 1) * scanBatchFiles),
  )
  const scan = (paths: string[]) => {
    signal.throwIfAborted()
    progress.handedOut(paths)
    return readers.includes(root, paths, fileBytes)
  }
  for await (const [paths, included] of mapOrdered(batches, concurrentScans, scan)) {
    for (const path of included) pages.delete(path)
    progress.handedBack(paths)
  }
  return documents.filter((path) => pages.has(path))
}
