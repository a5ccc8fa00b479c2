import { withFlag } from '../screening/flag-text.ts'
import { maskSecrets } from '../screening/secrets.ts'
import type { AnalysedChunk } from '../search/rows/packed-chunks.ts'
import { pageKind } from '../search/statistics/page-kind.ts'
import type { PageCounts } from '../search/statistics/statistics.ts'
import { areNearDuplicates, type BigramSketch, bigramSketch, bigramsOf, mayBeNearDuplicates } from '../search/words/bigrams.ts'
import { isCode, optionalFields, proseOf, type Snippet, snippetHash } from '../snippet.ts'
import { countTokens } from '../text/count-tokens.ts'
import { pageTopics } from '../text/page-topics.ts'
import type { Chunk } from './chunk.ts'
import { type CountedChunk, countPage } from './count-page.ts'
import { type Enrichments, type MissingText, missingText, withEnrichments } from './missing-text.ts'
import type { Origin } from './page/page.ts'

export type AnalysedPage = {
  chunks: AnalysedChunk[]
  counts: PageCounts
  /** Missing texts of the chunks that are not enriched. */
  missing: MissingText[]
  /** The kinds of the secrets that were masked. */
  masked: string[]
}

/** Sentences for the report of a job about a page: why passages are flagged, and which secrets were masked. */
export function screeningNotes(flags: string[], masked: string[]): string[] {
  return [
    ...[...new Set(flags)].map((reason) => `a passage may attack agents, so that answers mark or withhold it: ${reason}`),
    ...[...new Set(masked)].map((kind) => `a secret was masked (${kind}). Revoke it if it is real`),
  ]
}

type UrlOf = (place: Origin) => string

type AnalyseOptions = {
  /** False if the page gives no title, so that it was derived from the file name. */
  isTitled?: boolean
  enrichments?: Enrichments | undefined
}

/** Pages with more chunks are compared by hash only: the cost of finding similar chunks grows with the square of their number. */
const maxCompared = 400
/** Code further away is that of another subject. */
const maxRowsToCode = 8

/** A snippet of a page before analysis. */
export type PageSnippet = Omit<Snippet, 'id'> & { section: number }

/** Turns the chunks of a page into rows and counts for the library's statistics. Drops near-duplicates that have no new code. */
export function analysePage(
  chunks: Chunk[],
  path: string,
  urlOf: UrlOf,
  { isTitled = true, enrichments }: AnalyseOptions = {},
): AnalysedPage {
  const masked: string[] = []
  const own = withoutNearDuplicates(chunks.map((chunk) => withoutSecrets(chunk, masked)))
  const kept = own.map((chunk) => withEnrichments(chunk, enrichments))
  const snippets = kept.map((chunk) => ({ ...snippetOf(chunk, path, urlOf), section: chunk.section }))
  const missing = own.flatMap((chunk, i) => (chunk === kept[i] ? (missingText(chunk, isTitled) ?? []) : []))
  const analysed = analyseSnippets(snippets, path)
  return { ...analysed, missing, masked: [...masked, ...analysed.masked] }
}

/**
 * Turns the snippets of a page into rows and counts for the library's statistics. It reads only what is stored and what bundles hold, so that a
 * parse, an import and a rebuild have the same result.
 */
export function analyseSnippets(all: PageSnippet[], path: string): Omit<AnalysedPage, 'missing'> {
  const masked: string[] = []
  const snippets = withoutRepeats(all.map((each) => withMaskedText(each, masked))).map(withFlag)
  const searched = snippets.map((snippet) => ({ ...snippet, prose: searchedProse(snippet) }))
  const counted = countPage(path, snippets[0]?.breadcrumb[0] ?? '', searched)
  const chunks = snippets.map(({ section, ...snippet }, place) => {
    const { terms, lengths, wordVector } = counted.chunks[place] as CountedChunk
    const toCode = rowsToCode(snippets, place)
    return { ...snippet, terms, lengths, ...(wordVector && { wordVector }), ...(toCode !== 0 && { toCode }), section }
  })
  const topics = chunks.flatMap(({ breadcrumb, flag }) => (flag ? [] : pageTopics(breadcrumb)))
  const docsLanguage = snippets[0]?.docsLanguage
  const kind = isReference(snippets, path) ? { ...pageKind(''), api: true } : pageKind(path)
  const facts = { kind, chunks: chunks.length, topics, ...(docsLanguage !== undefined && { docsLanguage }) }
  return { chunks, counts: { ...counted.counts, ...facts }, masked }
}

type Texts = { breadcrumb: string[]; content: string; code: { language: string; code: string }[] }

/** The texts without keys and tokens, whose kinds are added to `masked`. */
function withoutSecrets<Part extends Texts>(part: Part, masked: string[]): Part {
  const content = maskSecrets(part.content)
  const headings = part.breadcrumb.map((heading) => maskSecrets(heading))
  const found = [content, ...headings].flatMap((each) => each.masked)
  if (found.length === 0) return part
  masked.push(...found)
  const code = part.code.map((each) => ({ ...each, code: maskSecrets(each.code).text }))
  return { ...part, content: content.text, breadcrumb: headings.map(({ text }) => text), code }
}

function withMaskedText(snippet: PageSnippet, masked: string[]): PageSnippet {
  const own = withoutSecrets(snippet, masked)
  return own === snippet ? snippet : { ...own, tokens: countTokens(own.content), hash: snippetHash(own) }
}

/** True for the page of a source file that is its API reference: sections begin with a signature. Names of source files tell no other kind. */
const isReference = (snippets: PageSnippet[], path: string): boolean =>
  pageKind(path).source &&
  snippets.some(({ content }) => content.startsWith('```')) &&
  !noteAtStart.test(snippets[0]?.content ?? '')

/** The first of equal snippets under equal headings. */
function withoutRepeats(snippets: PageSnippet[]): PageSnippet[] {
  const seen = new Set<string>()
  return snippets.filter(({ breadcrumb, hash }) => {
    const key = `${hash}\n${breadcrumb.join('\n')}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** A snippet without code is prose, even in fences. */
const searchedProse = (snippet: Omit<Snippet, 'id'>): string =>
  withoutGeneratedNote(isCode(snippet) ? proseOf(snippet) : snippet.content)

/**
 * The distance from a window without code to the nearest window of its section that has code, the following first. 0 if there is
 * none.
 */
function rowsToCode(snippets: PageSnippet[], place: number): number {
  const { code, section } = snippets[place] as PageSnippet
  if (code.length > 0) return 0
  const isIn = (at: number) => snippets[at]?.section === section
  for (let step = 1; step <= maxRowsToCode && (isIn(place + step) || isIn(place - step)); step++)
    for (const way of [step, -step]) if (isIn(place + way) && snippets[place + way]?.code.length) return way
  return 0
}

function snippetOf(chunk: Chunk, path: string, urlOf: UrlOf): Omit<Snippet, 'id'> {
  return {
    breadcrumb: chunk.breadcrumb,
    content: chunk.content,
    code: chunk.code,
    path: chunk.file ?? path,
    url: urlOf(chunk),
    topic: pageTopics(chunk.breadcrumb).at(-1) ?? '',
    tokens: countTokens(chunk.content),
    hash: snippetHash(chunk),
    ...optionalFields({ ...chunk, ...(chunk.file !== undefined && { includedBy: path }) }),
  }
}

function withoutNearDuplicates(chunks: Chunk[]): Chunk[] {
  if (chunks.length < 2 || chunks.length > maxCompared) return chunks
  const kept: ComparedChunk[] = []
  for (const chunk of chunks) {
    const compared: ComparedChunk = { chunk, sketch: bigramSketch(chunk.content), bigrams: undefined }
    if (!kept.some((earlier) => mayBeNearDuplicates(earlier.sketch, compared.sketch) && repeats(compared, earlier)))
      kept.push(compared)
  }
  return kept.map(({ chunk }) => chunk)
}

/** `bigrams` are read when the chunk is first compared with a similar one. */
type ComparedChunk = { chunk: Chunk; sketch: BigramSketch; bigrams: Int32Array | undefined }

const minBigrams = 8

function repeats(compared: ComparedChunk, earlier: ComparedChunk): boolean {
  for (const each of [compared, earlier]) each.bigrams ??= bigramsOf(each.chunk.content)
  const [own, others] = [compared.bigrams as Int32Array, earlier.bigrams as Int32Array]
  if (own.length < minBigrams || !areNearDuplicates(others, own)) return false
  return compared.chunk.code.every(({ code }) => earlier.chunk.content.includes(code))
}

const note = (source: string) => `Generated from \`${source}\` by a language model.`
const noteAtStart = /^Generated from `[^\n]*` by a language model\.(?:\n\n|$)/

/** Tells readers of a single snippet that it was generated. The note is not searched. */
export const withGeneratedNote = (content: string, source: string): string => `${note(source)}\n\n${content}`

const withoutGeneratedNote = (prose: string): string => prose.replace(noteAtStart, '')
