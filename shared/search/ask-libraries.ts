import { AppError } from '../errors.ts'
import { type LibraryId, libraryKey, printLibraryId } from '../library.ts'
import { countTokens } from '../text/count-tokens.ts'
import { oneLine } from '../text/one-line.ts'
import { type Answer, type RenderedAnswer, renderJson, renderText, separator } from './render-answer.ts'

/** A library that gave no answer, with the error that it gives when it is asked alone. */
type Unanswered = { libraryId: string; error: AppError['code']; message: string }

/** The answers of several libraries to one question, in the order of the request. */
export type CombinedAnswer = {
  parts: { libraryId: string; answer: Answer | RenderedAnswer }[]
  unanswered: Unanswered[]
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
      const answer = await ask(id, Math.max(0, Math.floor(left / (distinct.length - i))))
      left -= countTokens(renderText(answer))
      combined.parts.push({ libraryId, answer })
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
export function combinedJson({ parts, unanswered }: CombinedAnswer) {
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
  return {
    codeSnippets: answers.flatMap(({ libraryId, codeSnippets }, i) =>
      codeSnippets.map((each) => ({ ...each, libraryId, rank: (ranks[i] ?? 0) + each.rank })),
    ),
    infoSnippets: answers.flatMap(({ libraryId, infoSnippets }, i) =>
      infoSnippets.map((each) => ({ ...each, libraryId, rank: (ranks[i] ?? 0) + each.rank })),
    ),
    ...(rules.length > 0 && {
      rules: {
        ...combined('global', rules),
        ...combined('libraryOwn', rules),
        ...combined('libraryTeam', rules),
        notice: [...new Set(rules.map(({ notice }) => notice))].join(' '),
      },
    }),
    ...(notes.length > 0 && { notes }),
    ...(unanswered.length > 0 && { unanswered }),
  }
}

type RuleList = 'global' | 'libraryOwn' | 'libraryTeam'

/** The rules of several answers without repetitions. */
function combined(name: RuleList, rules: { [Name in RuleList]?: string[] }[]): { [Name in RuleList]?: string[] } {
  const list = [...new Set(rules.flatMap((each) => each[name] ?? []))]
  return list.length === 0 ? {} : { [name]: list }
}
