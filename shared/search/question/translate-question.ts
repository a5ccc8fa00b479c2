import type { WeightedTerm } from '../rows/snippet-store.ts'
import { ideographs, isAscii, stem, tokens } from '../words/analyse.ts'
import type { ForeignLanguage } from '../words/foreign-language.ts'
import type { Lexicon, Translation } from '../words/lexicons.ts'
import { vocabulary } from '../words/vocabulary.ts'

/** A frequent word is translated if one translation is clear. */
const minFrequentProbability = 0.6
/** Words in a larger share of the chunks of English documentation, such as `API`, are English in any language. */
const veryCommonShare = 1000 / 87_700
/** Articles such as `la` and `el` are in English documentation, too: in names and in pages that were not translated. */
const minOwnLetters = 3
const minFormLetters = 5
const minWeight = 0.3

/**
 * The words of a question in another language as English stems: for each word the stems that it may mean, best first. Identifiers, and words that
 * the lexicon does not have, stay as they are.
 */
export function translateQuestion(question: string, { lexicon, isLatin }: ForeignLanguage): WeightedTerm[][] {
  const itself = (word: string): WeightedTerm[] => [{ term: stem(word), weight: 1 }]
  const translate = (word: string): WeightedTerm[] => {
    if (!isLatin && isAscii(word)) return itself(word)
    const translations = lexicon.find(word)
    if (lexicon.frequent.has(word) && (translations?.[0]?.probability ?? 0) < minFrequentProbability)
      return !translations && word.length >= minOwnLetters && vocabulary().share(stem(word)) >= veryCommonShare
        ? itself(word)
        : []
    if (translations) return weighted(translations)
    const form = word.length >= minFormLetters && !ideographs.test(word) ? lexicon.findForm(word) : undefined
    if (form) return weighted(form)
    return isAscii(word) ? itself(word) : []
  }
  const parts = (word: string): string[] => (isLatin ? compoundParts(word, lexicon) : [word])
  const all = [...tokens(question)].flatMap(({ words, joined }) => [
    ...words.flatMap(parts).map(translate),
    ...joined.map(itself),
  ])
  return all.filter((terms) => terms.length > 0)
}

const weighted = (translations: Translation[]): WeightedTerm[] =>
  translations.map(({ stem: term, probability }) => ({
    term,
    weight: Math.max(minWeight, Math.min(1, probability / (translations[0]?.probability ?? 1))),
  }))

const minPartLetters = 4
/** Letters that join the parts of a German compound. */
const joints = ['', 's', 'n', 'en', 'es']

/** The two parts of a compound such as `Entwicklungsserver`, the second as long as possible; the word itself if it is none. */
function compoundParts(word: string, lexicon: Lexicon): string[] {
  if (word.length < 2 * minPartLetters || isWhole(word, lexicon)) return [word]
  for (let at = minPartLetters; at <= word.length - minPartLetters; at++) {
    const end = word.slice(at)
    if (!lexicon.find(end) && !isEnglish(end)) continue
    const start = word.slice(0, at)
    const first = joints
      .filter((joint) => start.endsWith(joint))
      .map((joint) => start.slice(0, start.length - joint.length))
      .find((each) => each.length >= minPartLetters && lexicon.find(each))
    if (first) return [first, end]
  }
  return [word]
}

const isWhole = (word: string, lexicon: Lexicon): boolean =>
  lexicon.frequent.has(word) || (lexicon.find(word) ?? lexicon.findForm(word)) !== undefined || isEnglish(word)

const isEnglish = (word: string): boolean => vocabulary().find(stem(word)) !== undefined
