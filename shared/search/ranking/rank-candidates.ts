import { timeSlice } from '../../time/time-slice.ts'
import type { Stopwatch } from '../explain.ts'
import type { ServedVersion } from '../libraries/catalog.ts'
import { mayMeanPages, meantPages } from '../question/meant-pages.ts'
import { questionParts } from '../question/question-parts.ts'
import { type Concept, readQuestion } from '../question/read-question.ts'
import type { SnippetRow, SnippetStore } from '../rows/snippet-store.ts'
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
  docsLanguage?: string | undefined
  vector: Float32Array | undefined
  watch?: Stopwatch | undefined
}

/** Rows of the first stage. The same for every budget, so that a larger budget does not change the order. */
const maxCandidates = 200
const rowsOfMeantPage = 3
/** Translations of a page are found with it, so a library in several languages needs more rows, up to this many times. */
const maxLanguages = 3

/**
 * The rows of a library for a question, best first. The parts of several questions in one take turns; the pages that a question about the whole documentation
 * means come first.
 */
export async function rankCandidates(
  snippets: SnippetStore,
  served: ServedVersion,
  { question, docsLanguage, vector, watch }: Asked,
  signal: AbortSignal,
): Promise<RankedCandidates | Unread> {
  const library = await read(() => snippets.statistics(served.generation), signal)
  if ('unread' in library) return library
  signal.throwIfAborted()
  const language = answerLanguage(question, library, docsLanguage)
  const sources = { snippets, library, language }
  const whole = await rankOne(sources, served, { question, vector, watch }, signal)
  if ('unread' in whole) return whole
  const rankings = [whole.ranked]
  for (const part of questionParts(question)) {
    const ranking = await rankOne(sources, served, { question: part, vector: undefined }, signal)
    if ('unread' in ranking) return ranking
    rankings.push(ranking.ranked)
  }
  const meant = await read(() => rowsOfMeantPages(sources, served, question), signal)
  if ('unread' in meant) return meant
  watch?.lap('rank')
  const inTurns = rankings.length > 1 ? interleave(rankings) : whole.ranked
  const isMeant = new Set(meant.map(({ row }) => row.id))
  const ranked = [...meant, ...inTurns.filter(({ row }) => !isMeant.has(row.id))]
  return {
    ...whole,
    confidence: meant.length > 0 ? 1 : confidenceOf(whole.stems, whole.ranked, library),
    ranked: ranked.map((each) => ({ ...each, row: withCopies(each.row, library) })),
    library,
    languageNote: language.note,
  }
}

async function rankOne(
  { snippets, library, language }: Sources,
  served: ServedVersion,
  { question: text, vector, watch }: Asked,
  signal: AbortSignal,
) {
  const question = readQuestion(text, library)
  const { concepts, stems } = question
  const limit = maxCandidates * Math.max(1, Math.min(maxLanguages, library.docsLanguages.length))
  const wanted = { terms: concepts.flat(), vector, limit }
  const candidates = await read(() => findCandidates(snippets, served, wanted, signal), signal)
  if ('unread' in candidates) return candidates
  signal.throwIfAborted()
  watch?.lap('search')
  const similarities = candidates.vector && similaritiesTo(candidates.rows, candidates.vector)
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
  const names = [library.id, library.title]
  if (!mayMeanPages(question, names)) return []
  const pages = await snippets.pages(generation)
  if (pages === undefined) return undefined
  const own = pages.filter(({ page }) => language.isPreferred(page))
  const rows: RankedRow[] = []
  for (const { page } of meantPages(question, names, own)) {
    const first = await snippets.pageSnippets(generation, page, { offset: 0, limit: rowsOfMeantPage })
    if (first === undefined) return undefined
    for (const snippet of first) rows.push({ row: { ...snippet, terms: '', lengths: [] }, score: 1, bm25: 0, pageScore: 1 })
  }
  return rows
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
