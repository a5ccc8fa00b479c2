import { AppError } from '../errors.ts'
import { type LibraryId, libraryKey, printLibraryId } from '../library.ts'
import { countTokens } from '../text/count-tokens.ts'
import { oneLine } from '../text/one-line.ts'
import { type Answer, type RenderedAnswer, renderJson, renderText, roundedConfidence, separator } from './render-answer.ts'

/** A library that gave no answer, with the error that it gives when it is asked alone. */
type Unanswered = { libraryId: string; error: AppError['code']; message: string }

/** The answers of several libraries to one question, in the order of the request. */
export type CombinedAnswer = {
  /** `budgetTokens` is what the library could use, `usedTokens` what it did. */
  parts: { libraryId: string; answer: Answer | RenderedAnswer; budgetTokens: number; usedTokens: number }[]
  unanswered: Unanswered[]
  /** If the request named none: the number of libraries they were chosen from, and the ids of those that the question names. */
  chosenFrom?: number
  named?: string[]
}

/** Each of these concerns one library: the others are answered. */
const ofOneLibrary: AppError['code'][] = [
  'library_not_found',
  'tag_not_found',
  'no_snippets_found',
  'access_denied',
  'forbidden',
  'search_failed',
  'data_damaged',
]

export const maxLibraries = 5

/**
 * Asks libraries one after the other. They share the budget: what one leaves is for the next. Throws the error of the first library if none
 * answers, validation_error for more than five.
 */
export async function askLibraries(
  ids: LibraryId[],
  tokens: number,
  ask: (libraryId: LibraryId, tokens: number) => Promise<Answer | RenderedAnswer>,
): Promise<CombinedAnswer> {
  const distinct = [...new Map(ids.map((id) => [`${libraryKey(id)}@${id.version ?? ''}`, id])).values()]
  if (distinct.length > maxLibraries)
    throw new AppError('validation_error', `At most ${maxLibraries} libraries can be asked at once.`)
  const combined: CombinedAnswer = { parts: [], unanswered: [] }
  let first: AppError | undefined
  let left = tokens
  for (const [i, id] of distinct.entries()) {
    const libraryId = printLibraryId(id)
    try {
      const budgetTokens = Math.max(0, Math.floor(left / (distinct.length - i)))
      const answer = await ask(id, budgetTokens)
      const usedTokens = countTokens(renderText(answer))
      left -= usedTokens
      combined.parts.push({ libraryId, answer, budgetTokens, usedTokens })
    } catch (error) {
      if (!(error instanceof AppError) || !ofOneLibrary.includes(error.code)) throw error
      first ??= error
      combined.unanswered.push({ libraryId, error: error.code, message: error.message })
    }
  }
  if (first && combined.parts.length === 0) throw first
  return combined
}

/** The answers as text for a model, then a line for each library without one. */
export const combinedText = ({ parts, unanswered }: CombinedAnswer): string =>
  [
    ...parts.map(({ answer }) => renderText(answer)),
    ...unanswered.map(({ libraryId, message }) => `Note: ${oneLine(`${libraryId} gave no answer. ${message}`)}`),
  ].join(separator)

/** The answers as one JSON answer. Each snippet has the id of its library. */
export function combinedJson(combined: CombinedAnswer) {
  const { parts, unanswered } = combined
  const answers = parts.map(({ libraryId, answer }) => ({
    libraryId,
    ...('rendered' in answer ? (JSON.parse(answer.rendered) as ReturnType<typeof renderJson>) : renderJson(answer)),
  }))
  let before = 0
  const ranks = answers.map(({ codeSnippets, infoSnippets }) => {
    const from = before
    before += codeSnippets.length + infoSnippets.length
    return from
  })
  const rules = answers.flatMap((answer) => answer.rules ?? [])
  const notes = answers.flatMap((answer) => answer.notes ?? [])
  const withheld = answers.reduce((sum, answer) => sum + (answer.withheld ?? 0), 0)
  return {
    codeSnippets: answers.flatMap(({ libraryId, codeSnippets }, i) =>
      codeSnippets.map((each) => ({ ...each, libraryId, rank: (ranks[i] ?? 0) + each.rank })),
    ),
    infoSnippets: answers.flatMap(({ libraryId, infoSnippets }, i) =>
      infoSnippets.map((each) => ({ ...each, libraryId, rank: (ranks[i] ?? 0) + each.rank })),
    ),
    ...(rules.length > 0 && {
      rules: {
        ...withoutRepetitions('global', rules),
        ...withoutRepetitions('libraryOwn', rules),
        ...withoutRepetitions('libraryTeam', rules),
        notice: [...new Set(rules.map(({ notice }) => notice))].join(' '),
      },
    }),
    ...(notes.length > 0 && { notes }),
    ...(withheld > 0 && { withheld }),
    ...(unanswered.length > 0 && { unanswered }),
    ...explanationOf(combined, answers),
  }
}

type JsonAnswer = ReturnType<typeof renderJson>

/** Explains the choice of the libraries, and their answers together. Empty if none was explained. */
function explanationOf(combined: CombinedAnswer, answers: JsonAnswer[]) {
  const { parts, chosenFrom, named } = combined
  const explained = answers.filter((answer) => 'timings' in answer)
  if (explained.length === 0) return {}
  const libraries = parts.map(({ libraryId, answer, budgetTokens, usedTokens }) => ({
    libraryId,
    ...(named && { named: named.includes(libraryId) }),
    ...('confidence' in answer && { confidence: roundedConfidence(answer) }),
    budgetTokens,
    usedTokens,
  }))
  return {
    choice: { ...(chosenFrom !== undefined && { chosenFrom }), libraries },
    timings: sumsOf(explained.map(({ timings = {} }) => timings)),
    available: {
      vectors: explained.some(({ available }) => available?.vectors),
      reranking: explained.some(({ available }) => available?.reranking),
    },
    text: combinedText(combined),
  }
}

function sumsOf(timings: Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [step, ms] of timings.flatMap(Object.entries<number>)) sums[step] = (sums[step] ?? 0) + ms
  return sums
}

type RuleList = 'global' | 'libraryOwn' | 'libraryTeam'

/** The rules of several answers without repetitions. */
function withoutRepetitions(name: RuleList, rules: { [Name in RuleList]?: string[] }[]): { [Name in RuleList]?: string[] } {
  const list = [...new Set(rules.flatMap((each) => each[name] ?? []))]
  return list.length === 0 ? {} : { [name]: list }
}
