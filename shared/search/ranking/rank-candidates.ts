import { countTokens } from '../../text/count-tokens.ts'
import { countOf } from '../../text/figures.ts'
import type { Stopwatch } from '../../time/stopwatch.ts'
import { timeSlice } from '../../time/time-slice.ts'
import type { ServedVersion } from '../libraries/catalog.ts'
import type { QuestionVector } from '../question/embed-question.ts'
import { asksForContents, mayMeanPages, meantPages } from '../question/meant-pages.ts'
import { questionParts } from '../question/question-parts.ts'
import { type Concept, type Question, readQuestion } from '../question/read-question.ts'
import type { SnippetRow, SnippetStore, StoredPage, StoredSnippet } from '../rows/snippet-store.ts'
import type { LibraryStatistics } from '../statistics/statistics.ts'
import { type AnswerLanguage, answerLanguage, inLanguage } from './answer-language.ts'
import { confidenceOf } from './confidence.ts'
import { type Candidates, findCandidates } from './find-candidates.ts'
import { interleave } from './interleave.ts'
import { type RankedRow, rank } from './rank.ts'
import { similaritiesTo } from './similarity.ts'

/** `unread` is the error of reading the generation, undefined if the generation is gone. */
export type Unread = { unread: unknown }

type RankedCandidates = {
  ranked: RankedRow[]
  concepts: Concept[]
  retrieved: Candidates['retrieved']
  /** How likely the library answers the question, from 0 to 1. */
  confidence: number
  library: LibraryStatistics
  vector: Float32Array | undefined
  /** A sentence about a requested language that the library does not have. */
  languageNote: string | undefined
}

type Sources = { snippets: SnippetStore; library: LibraryStatistics; language: AnswerLanguage }

/** `docsLanguage` is the language that the caller requests. */
type Asked = {
  question: string
  /** The whole question, if it was read already. */
  read?: Question | undefined
  docsLanguage?: string | undefined
  vector: QuestionVector | undefined
  watch?: Stopwatch | undefined
}

/** Rows of the first stage. The same for every budget, so that a larger budget does not change the order. */
const maxCandidates = 200
const rowsOfMeantPage = 3
/** Translations of a page are found with it, so a library in several languages needs more rows, up to this many times. */
const maxLanguages = 3
const outlinePages = 200

/** The question in the words of the library. */
export async function questionFor(
  snippets: Pick<SnippetStore, 'statistics'>,
  { generation }: ServedVersion,
  question: string,
  signal: AbortSignal,
): Promise<Question | Unread> {
  const library = await read(() => snippets.statistics(generation), signal)
  return 'unread' in library ? library : readQuestion(question, library)
}

/**
 * The rows of a library for a question, best first. The parts of several questions in one take turns; the pages that a question about the whole documentation
 * means come first.
 */
export async function rankCandidates(
  snippets: SnippetStore,
  served: ServedVersion,
  { question, read: asRead, docsLanguage, vector, watch }: Asked,
  signal: AbortSignal,
): Promise<RankedCandidates | Unread> {
  const library = await read(() => snippets.statistics(served.generation), signal)
  if ('unread' in library) return library
  signal.throwIfAborted()
  const language = answerLanguage(question, library, docsLanguage)
  const sources = { snippets, library, language }
  const whole = await rankOne(sources, served, { question, read: asRead, vector, watch }, signal)
  if ('unread' in whole) return whole
  const rankings: RankedRow[][] = []
  for (const part of questionParts(question)) {
    const ranking = await rankOne(sources, served, { question: part, vector: undefined }, signal)
    if ('unread' in ranking) return ranking
    rankings.push(ranking.ranked)
  }
  rankings.push(whole.ranked)
  const ofPages = await read(() => rowsOfMeantPages(sources, served, question), signal)
  if ('unread' in ofPages) return ofPages
  watch?.lap('rank')
  const inTurns = interleave(rankings)
  const isMeant = new Set(ofPages.map(({ row }) => row.id))
  const ranked = [...ofPages, ...inTurns.filter(({ row }) => !isMeant.has(row.id))]
  return {
    ...whole,
    confidence: ofPages.length > 0 ? 1 : confidenceOf(whole.stems, whole.ranked, library),
    ranked: ranked.map((each) => ({ ...each, row: withCopies(each.row, library) })),
    library,
    languageNote: language.note,
  }
}

async function rankOne(
  { snippets, library, language }: Sources,
  served: ServedVersion,
  { question: text, read: asRead, vector, watch }: Asked,
  signal: AbortSignal,
) {
  const question = asRead ?? readQuestion(text, library)
  const { concepts, stems } = question
  const limit = maxCandidates * Math.max(1, Math.min(maxLanguages, library.docsLanguages.length))
  const wanted = { terms: concepts.flat(), vector: vector?.vector, limit }
  const candidates = await read(() => findCandidates(snippets, served, wanted, signal), signal)
  if ('unread' in candidates) return candidates
  signal.throwIfAborted()
  watch?.lap('search')
  const similarities =
    vector && candidates.vector && similaritiesTo(candidates.rows, candidates.vector).map((each) => each * vector.weight)
  const byScore = await rank(candidates.rows, { ...question, library, question: text, similarities }, timeSlice(signal))
  const ranked = inLanguage(byScore, language)
  return { ranked, concepts, stems, retrieved: candidates.retrieved, vector: candidates.vector }
}

/** The first rows of the pages that a question about the whole documentation means. Undefined if the generation is gone. */
async function rowsOfMeantPages(
  { snippets, language }: Sources,
  { generation, library }: ServedVersion,
  question: string,
): Promise<RankedRow[] | undefined> {
  const isOutline = asksForContents(question)
  if (!isOutline && !mayMeanPages(question)) return []
  const pages = await snippets.pages(generation)
  if (pages === undefined) return undefined
  const own = pages.filter(({ page }) => language.isPreferred(page))
  if (isOutline) return [meant(outlineRow(library, own))]
  const rows: RankedRow[] = []
  for (const { page } of meantPages(question, [library.id, library.title], own)) {
    const first = await snippets.pageSnippets(generation, page, { offset: 0, limit: rowsOfMeantPage })
    if (first === undefined) return undefined
    rows.push(...first.map(meant))
  }
  return rows
}

const meant = (snippet: StoredSnippet): RankedRow => ({
  row: { ...snippet, terms: '', lengths: [] },
  score: 1,
  bm25: 0,
  pageScore: 1,
})

/** A table of contents as if it were a page. */
function outlineRow({ title }: ServedVersion['library'], pages: StoredPage[]): StoredSnippet {
  const listed = pages.slice(0, outlinePages).map((page) => `- ${page.title}: ${page.path}`)
  const rest = pages.length - listed.length
  const content = [...listed, ...(rest > 0 ? [`- and ${countOf(rest, 'more page')}`] : [])].join('\n')
  const place = { id: 'contents', hash: 'contents', page: -1, section: 0, path: '', url: pages[0]?.url ?? '' }
  return { ...place, breadcrumb: [title, 'Contents'], content, code: [], topic: 'Contents', tokens: countTokens(content) }
}

/** The row with the addresses of the other pages that have its section. */
function withCopies(row: SnippetRow, library: LibraryStatistics): SnippetRow {
  const others = library.copiesOf(row.hash, row.page).filter((url) => url !== row.url)
  return others.length === 0 ? row : { ...row, alsoOn: [...new Set([...(row.alsoOn ?? []), ...others])] }
}

/** Reads the store. Errors are returned, unless the caller is gone. */
async function read<T extends object>(from: () => Promise<T | undefined>, signal: AbortSignal): Promise<T | Unread> {
  try {
    return (await from()) ?? { unread: undefined }
  } catch (error) {
    signal.throwIfAborted()
    return { unread: error }
  }
}
