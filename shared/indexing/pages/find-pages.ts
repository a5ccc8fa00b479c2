import { packageFiles, statesPackage } from '../../reading/api-reference/go/package-files.ts'
import { maxSourceBytes } from '../../reading/api-reference/parse-source.ts'
import { countModuleAliases, type ModuleAliases } from '../../reading/module-aliases.ts'
import { peekTitle } from '../../reading/peek-title.ts'
import type { ReaderPool } from '../../reading/reader-pool.ts'
import { readInside } from '../../reading/titles/read-inside.ts'
import { mapOrdered } from '../../time/map-ordered.ts'
import type { IndexProgress } from './index-report.ts'

const scanBatchFiles = 25
const concurrentScans = 4

type FindPagesPorts = { readers: Pick<ReaderPool, 'scan'>; progress: Pick<IndexProgress, 'handedOut' | 'handedBack'> }
type Clone = { root: string; fileBytes: number; suspects: ReadonlySet<string> }

/** Fewer pages with one title are a coincidence. */
const minRepeated = 4

/** `parts` are the other files of a page. `repeated` are those whose title several pages have. */
type Pages = {
  paths: string[]
  parts: ReadonlyMap<string, readonly string[]>
  repeated: ReadonlySet<string>
  imports: ModuleAliases
}

/** The documents that are no part of another one, in the given order. Suspects are not scanned, since a scan parses them. */
export async function findPages(
  { readers, progress }: FindPagesPorts,
  { root, fileBytes, suspects }: Clone,
  documents: string[],
  signal: AbortSignal,
): Promise<Pages> {
  const pages = new Set(documents)
  const titles = new Map<string, string[]>()
  const imports: ModuleAliases = new Map()
  const trusted = documents.filter((path) => !suspects.has(path))
  const batches = Array.from({ length: Math.ceil(trusted.length / scanBatchFiles) }, (_, i) =>
    trusted.slice(i * scanBatchFiles, (i + 1) * scanBatchFiles),
  )
  const scanBatch = (paths: string[]) => {
    signal.throwIfAborted()
    progress.handedOut(paths)
    return readers.scan(root, paths, fileBytes)
  }
  for await (const [paths, scan] of mapOrdered(batches, concurrentScans, scanBatch)) {
    for (const path of scan.includes) pages.delete(path)
    for (const [path, title] of scan.titles) addTo(titles, title, path)
    countModuleAliases(imports, scan.imports)
    progress.handedBack(paths)
  }
  for (const path of suspects) if (pages.has(path)) addTo(titles, peekTitle((await readInside(root, path)) ?? '', path), path)
  titles.delete('')
  const sourceBytes = Math.min(fileBytes, maxSourceBytes)
  const parts = await packageFiles(documents, async (path) => statesPackage(await readInside(root, path, sourceBytes)))
  for (const path of [...parts.values()].flat()) pages.delete(path)
  const shared = [...titles.values()].map((paths) => paths.filter((path) => pages.has(path)))
  return {
    paths: documents.filter((path) => pages.has(path)),
    repeated: new Set(shared.filter((paths) => paths.length >= minRepeated).flat()),
    parts,
    imports,
  }
}

function addTo(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key)
  if (list) list.push(item)
  else lists.set(key, [item])
}
