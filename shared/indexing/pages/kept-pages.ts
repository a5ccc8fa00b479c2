import type { PageLanguage } from '../../reading/discover/languages/page-language.ts'
import { addressOf, type FileAddress, fileUrl } from '../../reading/file-url.ts'
import { type BlobIds, contentAt } from '../../reading/git/blob-ids.ts'
import { type AnalysedChunk, type PackedChunks, packChunks } from '../../search/rows/packed-chunks.ts'
import type { SnippetRow, SnippetStore } from '../../search/rows/snippet-store.ts'
import type { PageCounts } from '../../search/statistics/statistics.ts'
import { linesOfAddress } from '../../text/file-of-address.ts'
import { type OriginsOf, type PageOrigin, readCounts, readOrigins } from './page-origins.ts'
import { pagesOf } from './reanalyse.ts'

/** A page of an earlier generation whose files have not changed. */
export type KeptPage = {
  origin: PageOrigin
  /** Absent for a skipped file. */
  content?: { chunks: PackedChunks; counts: PageCounts }
}

export type KeptPages = {
  /** True if a page can be kept. */
  has(path: string): boolean
  /** Reads a kept page. Call it in the order of `paths`. Throws what the store throws. */
  take(path: string): Promise<KeptPage>
  close(): Promise<void>
}

export type KeptPagesJob = {
  /** The generation to keep pages from. */
  base: string
  address: FileAddress
  urls: ReadonlyMap<string, string> | undefined
  commit: string
  ids: BlobIds
  of: OriginsOf
  /** A page is kept only if it belongs to the documentation in the same language. */
  docsLanguages: ReadonlyMap<string, string>
  /** The other files of a page. A page is kept only if they are the same as before. */
  parts: ReadonlyMap<string, readonly string[]>
  /** Pages whose title several pages have. A page is kept only if it was one before. */
  repeated: ReadonlySet<string>
  /** Pages that lack titles or descriptions are not kept. */
  hasModel: boolean
}

type Ports = { snippets: Pick<SnippetStore, 'read' | 'origins'> }

/** The pages of `paths` that an earlier generation holds, read from the same files. Undefined if it has no origins. */
export async function keptPages({ snippets }: Ports, job: KeptPagesJob, paths: string[]): Promise<KeptPages | undefined> {
  const bytes = await snippets.origins(job.base)
  const origins = bytes && (await readOrigins(bytes, job.of))
  if (!bytes || !origins) return undefined
  const kept = new Map(keptOf(origins, job, paths).map((origin) => [origin.path, origin]))
  const rows = pagesOf(snippets.read(job.base))
  const counts = readCounts(bytes, (path) => kept.get(path)?.stored !== undefined)
  const read = async (origin: PageOrigin): Promise<KeptPage> => {
    const { path, stored } = origin
    if (!stored) return { origin }
    const own = (await find(rows, ([first]) => first?.page === stored.page)).map((row) => moved(row, path, job))
    if (own.length !== stored.rows) throw new Error(`page ${stored.page} has ${own.length} rows instead of ${stored.rows}`)
    const { counts: ownCounts } = await find(counts, (each) => each.path === path)
    return { origin, content: { chunks: packChunks(own), counts: ownCounts } }
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    has: (path) => kept.has(path),
    take(path) {
      const taken = last.then(() => read(kept.get(path) as PageOrigin))
      last = taken
      return taken
    },
    async close() {
      await last.catch(() => undefined)
      await Promise.all([rows.return(undefined), counts.return(undefined)])
    },
  }
}

/** The origins that still hold, in the order of the pages in the earlier generation, which is read once from start to end. */
function keptOf(origins: Map<string, PageOrigin>, job: KeptPagesJob, paths: string[]): PageOrigin[] {
  const { ids, docsLanguages, parts, repeated, hasModel } = job
  let before = -1
  return paths.flatMap((path) => {
    const origin = origins.get(path)
    if (!origin || (hasModel && origin.lacksText)) return []
    if (origin.docsLanguage !== docsLanguages.get(path) || (origin.repeatsTitle ?? false) !== repeated.has(path)) return []
    const own = parts.get(path)
    if (own && !isSame(own, origin)) return []
    const sources: [string, string][] = [[path, origin.id], ...(origin.consulted ?? [])]
    if (sources.some(([source, id]) => contentAt(ids, source) !== id)) return []
    if (origin.stored && origin.stored.page <= before) return []
    before = origin.stored?.page ?? before
    return [origin]
  })
}

/** All files of a package are consulted, and no other file of code. */
function isSame(parts: readonly string[], { consulted = [] }: PageOrigin): boolean {
  const before = new Set(consulted.map(([path]) => path).filter((path) => path.endsWith('.go')))
  return before.size === parts.length && parts.every((path) => before.has(path))
}

async function find<Each>(all: AsyncGenerator<Each>, is: (each: Each) => boolean): Promise<Each> {
  for (let next = await all.next(); !next.done; next = await all.next()) if (is(next.value)) return next.value
  throw new Error('the earlier generation ended before a page that it holds')
}

/** The chunk at its address in the new commit. */
function moved(
  { id: _, page: __, vector: ___, copy: ____, ...chunk }: SnippetRow,
  path: string,
  { address, urls, commit }: KeptPagesJob,
): AnalysedChunk {
  const file = chunk.includedBy === undefined ? path : chunk.path
  return { ...chunk, url: fileUrl(addressOf(address, urls, file), commit, file, linesOfAddress(chunk.url)) }
}

/**
 * The data that a later job needs to keep a page. Undefined if it must be read again: it depends on a link or on too many files.
 */
export function originOf(
  { ids, docsLanguages, repeated }: Pick<KeptPagesJob, 'ids' | 'docsLanguages' | 'repeated'>,
  path: string,
  result: { consulted?: string[] | 'too many'; omitted?: string; isExpected?: true; language?: PageLanguage | undefined },
): PageOrigin | undefined {
  const id = contentAt(ids, path)
  const { consulted = [], omitted, isExpected, language } = result
  const docsLanguage = docsLanguages.get(path)
  if (!id || consulted === 'too many') return undefined
  const others = consulted.map((other) => [other, contentAt(ids, other)] as const)
  if (others.some(([, content]) => content === undefined)) return undefined
  return {
    path,
    id,
    ...(others.length > 0 && { consulted: others as [string, string][] }),
    ...(repeated.has(path) && { repeatsTitle: true as const }),
    ...(omitted !== undefined && { omitted }),
    ...(isExpected && { isExpected }),
    ...(language && { language }),
    ...(docsLanguage !== undefined && { docsLanguage }),
  }
}
