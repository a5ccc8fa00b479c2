import { statSync } from 'node:fs'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { discover } from '../../../shared/reading/discover/discover.ts'
import type { RepoAddress } from '../../../shared/reading/git/repo-address.ts'
import { readDocument } from '../../../shared/reading/read-document.ts'
import type { AnalysedChunk } from '../../../shared/search/rows/packed-chunks.ts'
import { stem } from '../../../shared/search/words/analyse.ts'
import { functionWords } from '../../../shared/search/words/function-words.ts'
import { pluralize } from '../../../shared/text/figures.ts'
import type { Report } from '../report.ts'

/** Stems of a section's heading and prose in reading order, without function words and numbers. */
export type ChunkTerms = { title: string[]; prose: string[] }

const limits = { fileBytes: 1_000_000, files: 100_000 }
const functionStems = new Set([...functionWords].map(stem))
const [minLength, maxLength] = [2, 20]
/** Snippets link to their source; these are not stored. */
const address = { platform: 'github', id: '/local/docs', baseUrl: '', webUrl: 'file:', cloneUrl: '' } as unknown as RepoAddress

/** The English sections of the documentation in a folder, the first `maxChunks` by path. Throws a usage error if it has none. */
export async function* readChunks(folder: string, maxChunks: number, report: Report): AsyncGenerator<ChunkTerms> {
  const paths = await documentsIn(folder)
  let chunks = 0
  const skipped: string[] = []
  for (const path of paths) {
    if (chunks >= maxChunks) break
    const read = await readDocument({ root: folder, path, address, commit: 'HEAD', fileBytes: limits.fileBytes })
    if ('skipped' in read) {
      skipped.push(`${path}: ${read.skipped}`)
      continue
    }
    if (read.language && read.language.code !== 'eng') continue
    for (const chunk of read.page.chunks.slice(0, maxChunks - chunks)) {
      chunks += 1
      yield termsOf(chunk)
    }
  }
  if (skipped.length > 0) report(`${folder}: ${pluralize(skipped.length, 'page')} skipped, the first is ${skipped[0]}`)
  if (chunks === 0) throw new UsageError(`${folder} has no documentation in English.`)
  report(`${folder}: ${chunks} sections of ${paths.length - skipped.length} pages`)
}

/** Paths of the documents in a folder, sorted. Throws a usage error. */
export async function documentsIn(folder: string): Promise<string[]> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`${folder} is not a folder.`)
  const paths: string[] = []
  for await (const entry of discover(folder, {}, limits)) if ('sizeBytes' in entry) paths.push(entry.path)
  return paths.sort()
}

/** The stored terms of a chunk are its title, twice, then the breadcrumb, the page's title and the prose. */
function termsOf({ terms, lengths }: AnalysedChunk): ChunkTerms {
  const all = terms.split(' ')
  const [title = 0, crumbs = 0, page = 0, prose = 0] = lengths
  const start = 2 * title + crumbs + page
  return { title: all.slice(0, title).filter(isContent), prose: all.slice(start, start + prose).filter(isContent) }
}

const isContent = (term: string) =>
  term.length >= minLength && term.length <= maxLength && !functionStems.has(term) && !/^\p{N}+$/u.test(term)
