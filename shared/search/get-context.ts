import { z } from 'zod'
import type { VectorSpace } from '../ai/embedder.ts'
import { AppError } from '../errors.ts'
import { parseLibraryId, printLibraryId } from '../library.ts'
import { LibraryIdParam } from '../schemas/library-id-param.ts'
import { wholeNumberOr } from '../schemas/whole-number.ts'
import type { Snippet } from '../snippet.ts'
import { countTokens } from '../text/count-tokens.ts'
import { stopwatch } from '../time/stopwatch.ts'
import { timeSlice } from '../time/time-slice.ts'
import { type Available, type Explanation, explain } from './explain.ts'
import type { Catalog, ServedVersion } from './libraries/catalog.ts'
import { askedQuestion } from './question/asked-question.ts'
import type { EmbedQuestion, QuestionVector } from './question/embed-question.ts'
import type { QuestionQueue } from './question/question-queue.ts'
import type { Question } from './question/read-question.ts'
import { coveredFrom, uncoveredNote } from './ranking/confidence.ts'
import { choose, type RankedRow } from './ranking/rank.ts'
import { questionFor, rankCandidates, type Unread } from './ranking/rank-candidates.ts'
import { type Answer, renderRules, renderSnippet, renderVersion, separator, snippetJson } from './render-answer.ts'
import type { Rerank } from './reranking/rerank.ts'
import type { SnippetRow, SnippetStore } from './rows/snippet-store.ts'
import { UnreadableContent } from './rows/unreadable-content.ts'
import { withCode } from './rows/with-code.ts'
import { shorten } from './shorten.ts'
import type { LibraryStatistics } from './statistics/statistics.ts'
import { isWithheld, servedBy, servedRules, withheldNote } from './withheld.ts'

export const ContextQuery = z.object({
  libraryId: LibraryIdParam.describe('The library as /owner/repo, with /version or @version for one version'),
  query: z
    .string()
    .min(1)
    .describe('What you want to do, in plain English words, or a pasted error. What exceeds 8,000 characters is not read'),
  type: z.enum(['txt', 'json']).default('txt').describe('txt for a model to read, json for a program'),
  fast: z.enum(['true', 'false']).default('false').describe('true skips reranking by a model'),
  tokens: wholeNumberOr(5000, 500, 50_000).describe('Maximum length of the answer; a token is four characters'),
  docsLanguage: z
    .string()
    .trim()
    .max(200)
    .optional()
    .describe(
      'Only snippets in this language of the documentation, such as de; ignored with a note if the library does not have it',
    ),
  uncovered: z
    .enum(['show', 'hide'])
    .default('show')
    .describe('hide leaves out the snippets if the documentation does not seem to cover the question'),
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
  /** The models that are configured. Without it, none is. */
  configured?: ConfiguredModels
  questions?: Pick<QuestionQueue, 'run'>
}

/** Tells whether a model embeds questions to content of a space, and whether one reranks answers. */
export type ConfiguredModels = { embeds(space: VectorSpace): boolean; reranks(): boolean }

/** `fast` is absent if the protocol has no such option. */
export type ContextRequest = Pick<ContextQuery, 'libraryId' | 'query' | 'tokens'> &
  Partial<Pick<ExplainedQuery, 'type' | 'fast' | 'explain' | 'vectors' | 'uncovered' | 'docsLanguage'>> & { maxQuestion?: number }

/** Characters of a question that are read. Addresses bound a question by REST; one by MCP may be longer. */
const maxQuestion = 8_000
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
  if (outcome.rows.length === 0 && outcome.withheld === 0) throw nothingFound(served, outcome.library)
  const { rows, rules, teamRules, notes, withheld, confidence, search, explained } = outcome
  const covered = confidence >= coveredFrom
  const snippets = !covered && input.uncovered === 'hide' ? [] : rows
  return {
    snippets,
    rules,
    ...(teamRules && { teamRules }),
    ...contentOf(served),
    ...(notes.length > 0 && { notes }),
    ...(withheld > 0 && { withheld }),
    covered,
    confidence,
    search,
    ...(explained && { explained: { ...explained, snippets: explained.snippets.slice(0, snippets.length) } }),
  }
}

type Found = Pick<Answer, 'rules' | 'teamRules' | 'search' | 'explained'> & {
  rows: SnippetRow[]
  notes: string[]
  withheld: number
  confidence: number
  library: LibraryStatistics
}

async function answer(
  ports: ContextPorts,
  served: ServedVersion,
  asked: ContextRequest,
  signal: AbortSignal,
): Promise<Found | Unread> {
  const { embedQuestion, rerank, questions } = ports
  const { tokens, fast } = asked
  const { text: query, note } = askedQuestion(asked.query, asked.maxQuestion ?? maxQuestion)
  signal.throwIfAborted()
  const watch = asked.explain === 'true' ? stopwatch() : undefined
  const inTurn = <T>(work: () => Promise<T>) => (questions ? questions.run(work, signal) : work())
  const space = asked.vectors === 'false' ? undefined : served.space
  let vector: QuestionVector | undefined
  let question: Question | undefined
  if (embedQuestion && space) {
    const read = await inTurn(() => questionFor(ports.snippets, served, query, signal))
    if ('unread' in read) return read
    question = read
    vector = await embedQuestion(question, space, signal)
  }
  watch?.lap('embed')
  const search = () => {
    watch?.lap('wait')
    return rankCandidates(
      ports.snippets,
      served,
      { question: query, read: question, docsLanguage: asked.docsLanguage, vector, watch },
      signal,
    )
  }
  const candidates = await inTurn(search)
  if ('unread' in candidates) return candidates
  const { ranked, library, confidence, languageNote } = candidates
  const isKnown = (term: string) => library.documentFrequency(term) > 0
  const isOut = (snippet: Snippet) => isWithheld(snippet, served.flagged)
  const shown = ranked.filter(({ row }) => !isOut(row))
  const uncovered = confidence < coveredFrom ? [uncoveredNote(query, shown, { id: served.library.id, has: isKnown })] : []
  const notes = [...uncovered, ...[languageNote, note, movedNote(served)].filter((each) => each !== undefined)]
  const own = servedRules(served.rules, served.flagged)
  const rules = rulesWithin(served, own.rules, tokens * rulesShare)
  const frame = [...notes, renderRules({ ...rules, library: served.library.id }), renderVersion(contentOf(served))].join(
    separator,
  )
  const budget = tokens - blockTokens(frame)
  const content = contentOf(served)
  // An explained answer has the snippets of the text answer, which it contains.
  const isJson = asked.type === 'json' && asked.explain !== 'true'
  const tokensOf = (row: SnippetRow) => (isJson ? countTokens(`${snippetJson(row, content)},`) : blockTokens(renderSnippet(row)))
  // Rendering adds to the content of a text answer, and never shortens it.
  const leastTokens = (row: SnippetRow) => (isJson ? 0 : Math.min(budget, countTokens(row.content)))
  const reranked = rerank && fast !== 'true' ? await rerank(query, served.generation, ranked, signal) : ranked
  watch?.lap('rerank')
  const ordered = reranked.flatMap((each) => (isOut(each.row) ? [] : { ...each, row: servedBy(each.row, served.flagged) }))
  const rankedRows = ranked.map(({ row }) => row)
  const complete = (row: SnippetRow) => withCode(row, served.generation, rankedRows, ports.snippets, isOut)
  const chosen = await choose(
    ordered,
    { tokens: budget, tokensOf: (row) => Math.min(budget, tokensOf(row)), leastTokens, complete },
    timeSlice(signal),
  )
  const fit = (row: SnippetRow) => {
    const over = tokensOf(row) - budget
    return over > 0 ? shorten(row, row.tokens - over) : row
  }
  const rows = chosen.map(fit)
  const withheld = own.withheld + withheldBefore(rows.at(-1)?.id, reranked, isOut)
  if (withheld > 0) notes.push(withheldNote(withheld))
  watch?.lap('choose')
  const explanations = watch && explain({ question: query, ...candidates })
  const explained = explanations && {
    snippets: rows.map(({ id }) => explanations.get(id) ?? unexplained),
    timings: watch.timings,
    available: availableFor(ports, served),
  }
  return {
    rows,
    ...rules,
    notes,
    withheld,
    confidence,
    library,
    search: candidates.vector ? 'hybrid' : 'text',
    ...(explained && { explained }),
  }
}

/** The number of withheld rows that rank above the last row of the answer. */
function withheldBefore(last: string | undefined, ranked: RankedRow[], isOut: (row: Snippet) => boolean): number {
  const end = ranked.findIndex(({ row }) => row.id === last)
  return ranked.slice(0, end < 0 ? ranked.length : end).filter(({ row }) => isOut(row)).length
}

/** The steps that a question may use, also if this one did not. */
const availableFor = ({ configured }: ContextPorts, { space }: ServedVersion): Available => ({
  vectors: space !== undefined && (configured?.embeds(space) ?? false),
  reranking: configured?.reranks() ?? false,
})

/** Reranking may add a row that no search found. */
const unexplained: Explanation = { legs: {}, score: 0, words: [], pageScore: 0 }

/** The content that the snippets of an answer come from. */
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

/** The first rules, as many as fit: those of the teamspace, whose admins answer for them, before those of the maintainers. */
function rulesWithin(
  { teamRules, library }: ServedVersion,
  rules: string[],
  maxTokens: number,
): Pick<Answer, 'rules' | 'teamRules'> {
  const first = (count: number): Pick<Answer, 'rules' | 'teamRules'> => {
    const global = teamRules?.global.slice(0, count) ?? []
    const ofLibrary = teamRules?.library.slice(0, count - global.length) ?? []
    const inTeam = global.length + ofLibrary.length
    return { rules: rules.slice(0, count - inTeam), ...(inTeam > 0 && { teamRules: { global, library: ofLibrary } }) }
  }
  const total = rules.length + (teamRules?.global.length ?? 0) + (teamRules?.library.length ?? 0)
  let count = 0
  while (count < total && blockTokens(renderRules({ ...first(count + 1), library: library.id })) <= maxTokens) count++
  return first(count)
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

const movedNote = ({ library: { id, movedTo } }: ServedVersion): string | undefined =>
  movedTo === undefined ? undefined : `The repository of ${id} is now ${movedTo}.`
