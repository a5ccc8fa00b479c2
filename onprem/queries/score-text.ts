import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { ScoreText } from '../../shared/search/choose-libraries.ts'
import { translateQuestion } from '../../shared/search/question/translate-question.ts'
import { stem } from '../../shared/search/words/analyse.ts'
import { foreignLanguage } from '../../shared/search/words/foreign-language.ts'
import { functionWords } from '../../shared/search/words/function-words.ts'
import type { TextIndex } from '../store/text-index/text-index.ts'
import { plainWords } from './query-words.ts'

/** Each costs a lookup, and a frequent one the scores of many rows. */
const maxWords = 24
const maxQuestionChars = 2_000
const maxTranslations = 2
/** Shorter starts are those of other words, too. */
const minStartChars = 4
const maxRows = 200
/** One row that has the words by accident counts less than three. */
const rowsEach = 3

/**
 * How well the text of libraries matches a question: the sum of the BM25 of the best three of their rows among the best two hundred of all. BM25 weighs
 * words by their rarity in all libraries. Undefined while some text is not indexed.
 */
export const scoreText =
  (textIndex: Pick<TextIndex, 'refresh' | 'isPending' | 'best'>): ScoreText =>
  async (libraries, question) => {
    await textIndex.refresh()
    const idOf = new Map(libraries.map(({ id }) => [libraryKey(parseLibraryId(id)), id]))
    if ([...idOf.keys()].some(textIndex.isPending)) return undefined
    const match = questionMatch(question.slice(0, maxQuestionChars))
    const scores = new Map<string, { score: number; rows: number }>()
    for (const { key, score } of match === '' ? [] : textIndex.best(match, [...idOf.keys()], maxRows)) {
      const before = scores.get(key) ?? { score: 0, rows: 0 }
      if (before.rows < rowsEach) scores.set(key, { score: before.score + score, rows: before.rows + 1 })
    }
    return new Map([...scores].map(([key, { score }]) => [idOf.get(key) ?? '', score]))
  }

/** An FTS5 query for rows with any word of a question, or of its translation, in any form. Empty for a question of function words. */
function questionMatch(question: string): string {
  const words = plainWords(question).filter((word) => !functionWords.has(word))
  const terms = [...words.map((word) => formsOf(word, stem(word))), ...translations(question).map((each) => formsOf(each, each))]
  return [...new Set(terms)].slice(0, maxWords).join(' OR ')
}

/** The English stems of a question in another language. */
function translations(question: string): string[] {
  const language = foreignLanguage(question, () => false)
  const concepts = language ? translateQuestion(question, language) : []
  return concepts.flatMap((terms) => terms.slice(0, maxTranslations).flatMap(({ term }) => plainWords(term)))
}

/** A word, or all words with the start that it shares with its stem, which ends with `i` instead of `y`. */
function formsOf(word: string, stemmed: string): string {
  const differs = [...word].findIndex((letter, i) => letter !== stemmed[i])
  const start = (differs === -1 ? word : word.slice(0, differs)).replace(/[iy]$/, '')
  return start.length < minStartChars ? `"${word}"` : `"${start}"*`
}
