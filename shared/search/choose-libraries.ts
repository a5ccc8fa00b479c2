import { AppError } from '../errors.ts'
import { type LibraryId, parseLibraryId } from '../library.ts'
import { timeSlice } from '../time/time-slice.ts'
import type { ListedLibrary } from './libraries/catalog.ts'
import { distinctiveTerms } from './libraries/distinctive-terms.ts'
import type { Answer } from './render-answer.ts'
import { analyse } from './words/analyse.ts'

/** Each asked library costs as much as a question. */
const maxAsked = 20
const maxChosen = 5
/** A library that the question names is meant more likely than one that only has its words. */
const nameWeight = 0.5
/** A library with a smaller share of the best score is not about the question. */
const minShare = 0.6

/** How well the text of libraries matches a question, greater is better, by their ids; none without a match. Undefined while that is not known of all. */
export type ScoreText = (libraries: ListedLibrary[], question: string) => Promise<Map<string, number> | undefined>

type Candidate = { library: ListedLibrary; isNamed: boolean; score: number }

/**
 * The libraries that answer a question best, best first, at most five: first those that the question names, then by their text. Where that has no
 * scores, asks the twenty whose names and descriptions share most words with the question, of the others the largest. Throws no_snippets_found, and
 * no_libraries_found if there are no libraries.
 */
export async function chooseLibraries(
  libraries: ListedLibrary[],
  query: string,
  ask: (id: LibraryId) => Promise<Pick<Answer, 'snippets' | 'confidence'>>,
  scoreText?: ScoreText,
): Promise<LibraryId[]> {
  const terms = distinctiveTerms(query)
  const withContent = libraries.filter(({ totalSnippets }) => totalSnippets > 0)
  if (withContent.length === 0) throw new AppError('no_libraries_found', 'There is no library with content to ask.')
  const scores = await scoreText?.(withContent, query)
  const candidates = scores ? scoredBy(scores, withContent, terms) : await scoredByAnswers(withContent, terms, ask)
  const best = Math.max(0, ...candidates.map(({ score }) => score))
  const chosen = candidates.filter(({ isNamed, score }) => isNamed || (best > 0 && score >= minShare * best))
  if (chosen.length === 0)
    throw new AppError('no_snippets_found', 'No library has an answer to this question. Ask in other words, in English.')
  return chosen
    .sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || b.score - a.score || (a.library.id < b.library.id ? -1 : 1))
    .slice(0, maxChosen)
    .map(({ library }) => parseLibraryId(library.id))
}

const scoredBy = (scores: Map<string, number>, libraries: ListedLibrary[], terms: Set<string>): Candidate[] =>
  libraries.map((library) => ({ library, isNamed: isNamed(library, terms), score: scores.get(library.id) ?? 0 }))

/** Libraries whose answers have none of the terms are left out. */
async function scoredByAnswers(
  libraries: ListedLibrary[],
  terms: Set<string>,
  ask: (id: LibraryId) => Promise<Pick<Answer, 'snippets' | 'confidence'>>,
): Promise<Candidate[]> {
  const scored: Candidate[] = []
  for (const { library, name } of await bestNamed(libraries, terms)) {
    const found = await ask(parseLibraryId(library.id)).then(
      ({ snippets, confidence = 0 }) => ({ share: shareOf(terms, new Set(analyse(snippetText(snippets)))), confidence }),
      nothing,
    )
    if (found.share > 0)
      scored.push({ library, score: found.share + found.confidence + nameWeight * name, isNamed: isNamed(library, terms) })
  }
  return scored
}

/** True if the question has all words of the repository's name, of the title or of an alias. */
export const isNamed = ({ id, title, aliases }: ListedLibrary, terms: Set<string>): boolean =>
  [parseLibraryId(id).repo, title, ...aliases].some((name) => shareOf(new Set(analyse(name)), terms) === 1)

/** The words of a name are read once per library of a list: there may be many thousands. */
const wordsOf = new WeakMap<ListedLibrary, Set<string>>()

/** Lets other requests run meanwhile. */
async function bestNamed(libraries: ListedLibrary[], terms: Set<string>): Promise<{ library: ListedLibrary; name: number }[]> {
  const pace = timeSlice(new AbortController().signal)
  const named: { library: ListedLibrary; name: number }[] = []
  for (const library of libraries) {
    if (pace.isOver()) await pace.yield()
    const words = wordsOf.get(library) ?? new Set(analyse(nameOf(library)))
    wordsOf.set(library, words)
    named.push({ library, name: shareOf(terms, words) })
  }
  return named
    .sort(
      (a, b) => b.name - a.name || b.library.totalSnippets - a.library.totalSnippets || (a.library.id < b.library.id ? -1 : 1),
    )
    .slice(0, maxAsked)
}

const nameOf = ({ id, title, description, aliases }: ListedLibrary): string => [id, title, description, ...aliases].join(' ')

/** The best two snippets, because a question may have two parts. */
const snippetText = (snippets: Answer['snippets']): string =>
  snippets
    .slice(0, 2)
    .map(({ breadcrumb, content }) => [...breadcrumb, content].join('\n'))
    .join('\n')

/** The share of terms that are among words. */
function shareOf(terms: Set<string>, words: Set<string>): number {
  if (terms.size === 0) return 0
  return [...terms].filter((term) => words.has(term)).length / terms.size
}

/** A library that cannot answer, or is not to be read, has none of the terms. */
const nothing = (error: unknown): { share: number; confidence: number } => {
  if (error instanceof AppError && error.retryAfterMs === undefined) return { share: 0, confidence: 0 }
  throw error
}
