import { z } from 'zod'
import { AppError } from '../errors.ts'
import { parseLibraryId, printLibraryId } from '../library.ts'
import { LibraryIdParam } from '../schemas/library-id-param.ts'
import { wholeNumberOr } from '../schemas/whole-number.ts'
import { countTokens } from '../text/count-tokens.ts'
import { timeSlice } from '../time/time-slice.ts'
import { type Explanation, explain, type Stopwatch, stopwatch } from './explain.ts'
import type { Catalog, ServedVersion } from './libraries/catalog.ts'
import type { EmbedQuestion } from './question/embed-question.ts'
import type { QuestionQueue } from './question/question-queue.ts'
import { type Concept, readQuestion } from './question/read-question.ts'
import { type Candidates, findCandidates } from './ranking/find-candidates.ts'
import { choose, type RankedRow, rank } from './ranking/rank.ts'
import { similaritiesTo } from './ranking/similarity.ts'
import { type Answer, renderRules, renderSnippet, renderVersion, separator } from './render-answer.ts'
import type { Rerank } from './reranking/rerank.ts'
import type { SnippetRow, SnippetStore } from './rows/snippet-store.ts'
import { UnreadableContent } from './rows/unreadable-content.ts'
import { withCode } from './rows/with-code.ts'
import { shorten } from './shorten.ts'
import type { LibraryStatistics } from './statistics/statistics.ts'

export const ContextQuery = z.object({
  libraryId: LibraryIdParam.describe('The library as /owner/repo, with /version or @version for one version'),
  query: z.string().min(1).max(500).describe('What you want to do, in plain English words'),
  type: z.enum(['txt', 'json']).default('txt').describe('txt for a model to read, json for a program'),
  fast: z.enum(['true', 'false']).default('false').describe('true skips reranking by a model'),
  tokens: wholeNumberOr(5000, 500, 50_000).describe('Maximum length of the answer; a token is four characters'),
})
export type ContextQuery = z.infer<typeof ContextQuery>

/** The query of callers who may look into the ranking. */
export const ExplainedQuery = ContextQuery.extend({
  explain: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'true adds to a JSON answer why each snippet was chosen, the time of each step and the text answer; requires a key or session',
    ),
  vectors: z
    .enum(['true', 'false'])
    .default('true')
    .describe('false searches by words only, to compare; requires a key or session'),
})
export type ExplainedQuery = z.infer<typeof ExplainedQuery>

export type ContextPorts = {
  catalog: Pick<Catalog, 'served'>
  snippets: SnippetStore
  embedQuestion?: EmbedQuestion
  rerank?: Rerank
  questions?: Pick<QuestionQueue, 'run'>
}

/** `fast` is absent if the protocol has no such option. */
type ContextRequest = Pick<ContextQuery, 'libraryId' | 'query' | 'tokens'> &
  Partial<Pick<ExplainedQuery, 'fast' | 'explain' | 'vectors'>>

/** Rows of the first stage. The same for every budget, so that a larger budget does not change the order. */
const maxCandidates = 200
/** The maximum share of the maintainers' guidance in an answer. */
const rulesShare = 0.25

const neverAborted = new AbortController().signal

/**
 * The best snippets of one library for a question. Checks `signal` between the steps. Throws library_not_found, tag_not_found,
 * no_snippets_found, search_failed, data_damaged, temporarily_unavailable.
 */
export async function getContext(ports: ContextPorts, input: ContextRequest, signal = neverAborted): Promise<Answer> {
  const { libraryId: id } = input
  let served = await ports.catalog.served(id)
  let outcome = await answer(ports, served, input, signal)
  if ('unread' in outcome) {
    const { generation } = served
    served = await ports.catalog.served(id)
    outcome = await answer(ports, served, input, signal)
    if ('unread' in outcome) throw served.generation === generation ? unreadable(served, outcome) : replaced(served, outcome)
  }
  if (outcome.rows.length === 0) throw nothingFound(served, outcome.library)
  const { rows: snippets, rules, search, explained } = outcome
  return { snippets, rules, ...contentOf(served), search, ...(explained && { explained }) }
}

type Found = Pick<Answer, 'rules' | 'search' | 'explained'> & { rows: SnippetRow[]; library: LibraryStatistics }

/** `unread` is the error of reading the generation, undefined if the generation is gone. */
type Unread = { unread: unknown }

async function answer(
  ports: ContextPorts,
  served: ServedVersion,
  asked: ContextRequest,
  signal: AbortSignal,
): Promise<Found | Unread> {
  const { embedQuestion, rerank, questions } = ports
  const { query, tokens, fast } = asked
  signal.throwIfAborted()
  const watch = asked.explain === 'true' ? stopwatch() : undefined
  const vector = asked.vectors !== 'false' && served.space ? await embedQuestion?.(query, served.space, signal) : undefined
  watch?.lap('embed')
  const search = () => {
    watch?.lap('wait')
    return rankCandidates(ports, served, { asked, vector, watch }, signal)
  }
  const candidates = await (questions ? questions.run(search, signal) : search())
  if ('unread' in candidates) return candidates
  const { ranked, library } = candidates
  const rules = rulesWithin(served, tokens * rulesShare)
  const own = renderRules(rules, served.library.id) + renderVersion(contentOf(served))
  const budget = tokens - blockTokens(own)
  const tokensOf = (row: SnippetRow) => blockTokens(renderSnippet(row))
  const ordered = rerank && fast !== 'true' ? await rerank(query, served.generation, ranked, signal) : ranked
  watch?.lap('rerank')
  const rankedRows = ranked.map(({ row }) => row)
  const complete = (row: SnippetRow) => withCode(row, served.generation, rankedRows, ports.snippets)
  const chosen = await choose(
    ordered,
    { tokens: budget, tokensOf: (row) => Math.min(budget, tokensOf(row)), complete },
    timeSlice(signal),
  )
  const fit = (row: SnippetRow) => {
    const over = tokensOf(row) - budget
    return over > 0 ? shorten(row, row.tokens - over) : row
  }
  const rows = chosen.map(fit)
  watch?.lap('choose')
  const explanations = watch && explain({ question: query, ...candidates })
  const explained = explanations && {
    snippets: rows.map(({ id }) => explanations.get(id) ?? unexplained),
    timings: watch.timings,
  }
  return { rows, rules, library, search: candidates.vector ? 'hybrid' : 'text', ...(explained && { explained }) }
}

/** Reranking may add a row that no search found. */
const unexplained: Explanation = { legs: {}, score: 0, words: [], pageScore: 0 }

type Ranked = {
  ranked: RankedRow[]
  concepts: Concept[]
  retrieved: Candidates['retrieved']
  library: LibraryStatistics
  vector: Float32Array | undefined
}

async function rankCandidates(
  { snippets }: ContextPorts,
  served: ServedVersion,
  { asked, vector, watch }: { asked: ContextRequest; vector: Float32Array | undefined; watch: Stopwatch | undefined },
  signal: AbortSignal,
): Promise<Ranked | Unread> {
  const library = await read(() => snippets.statistics(served.generation), signal)
  if ('unread' in library) return library
  signal.throwIfAborted()
  const question = readQuestion(asked.query, library)
  const { concepts } = question
  const wanted = { terms: concepts.flat(), vector, limit: maxCandidates }
  const candidates = await read(() => findCandidates(snippets, served, wanted, signal), signal)
  if ('unread' in candidates) return candidates
  signal.throwIfAborted()
  watch?.lap('search')
  const similarities = candidates.vector && similaritiesTo(candidates.rows, candidates.vector)
  const ranked = await rank(candidates.rows, { ...question, library, question: asked.query, similarities }, timeSlice(signal))
  watch?.lap('rank')
  return {
    ranked: ranked.map((each) => ({ ...each, row: withCopies(each.row, library) })),
    concepts,
    retrieved: candidates.retrieved,
    library,
    vector: candidates.vector,
  }
}

/** What the snippets of an answer are of. */
const contentOf = ({
  library,
  ref,
  commitDate,
}: ServedVersion): Pick<Answer, 'library' | 'title' | 'version' | 'commitDate'> => ({
  library: library.id,
  title: library.title,
  ...(ref !== '' && { version: ref }),
  ...(commitDate && { commitDate }),
})

/** The row with the addresses of the other pages that have its section. */
function withCopies(row: SnippetRow, library: LibraryStatistics): SnippetRow {
  const others = library.copiesOf(row.hash, row.page).filter((url) => url !== row.url)
  return others.length === 0 ? row : { ...row, alsoOn: [...new Set([...(row.alsoOn ?? []), ...others])] }
}

async function read<T extends object>(from: () => Promise<T | undefined>, signal: AbortSignal): Promise<T | Unread> {
  try {
    return (await from()) ?? { unread: undefined }
  } catch (error) {
    signal.throwIfAborted()
    return { unread: error }
  }
}

/** The first rules, as many as fit. */
function rulesWithin({ rules, library }: ServedVersion, maxTokens: number): string[] {
  const over = rules.findIndex((_, i) => blockTokens(renderRules(rules.slice(0, i + 1), library.id)) > maxTokens)
  return over < 0 ? rules : rules.slice(0, over)
}

/** Includes the separator. */
const blockTokens = (block: string): number => countTokens(block + separator)

const idOf = ({ library, version }: ServedVersion): string =>
  printLibraryId({ ...parseLibraryId(library.id), ...(version === undefined ? {} : { version }) })

function unreadable(served: ServedVersion, { unread }: Unread): AppError {
  if (!(unread instanceof AppError) || !unreadCodes.includes(unread.code)) return damaged(served, { unread })
  const why = served.library.imported && unread instanceof UnreadableContent ? unread.ofImported : unread.message
  const { code, retryAfterMs } = unread
  return new AppError(code, `The content of ${idOf(served)} cannot be read. ${why}`, { cause: unread, retryAfterMs })
}

const unreadCodes: AppError['code'][] = ['search_failed', 'data_damaged', 'temporarily_unavailable']

function damaged(served: ServedVersion, { unread }: Unread): AppError {
  const { id, imported } = served.library
  const advice = `Ask again in a moment; if that does not help, ${imported ? `import ${id} again with force` : `refresh ${id}`}.`
  return new AppError('search_failed', `The content of ${idOf(served)} cannot be read. ${advice}`, { cause: unread })
}

const replaced = (served: ServedVersion, { unread }: Unread): AppError =>
  new AppError('temporarily_unavailable', `The content of ${idOf(served)} is being replaced. Ask again in a moment.`, {
    retry: 'limited',
    retryAfterMs: 1_000,
    cause: unread,
  })

function nothingFound(served: ServedVersion, { topics }: LibraryStatistics): AppError {
  const id = idOf(served)
  const about = topics.length > 0 ? ` Its main topics are: ${topics.slice(0, 8).join(', ')}.` : ''
  return new AppError('no_snippets_found', `Nothing in ${id} matches this question. Ask in other words, in English.${about}`)
}
