import type { WeightedTerm } from '../rows/snippet-store.ts'
import { ideographs, isAscii, stem, tokens } from '../words/analyse.ts'
import type { ForeignLanguage } from '../words/foreign-language.ts'
import type { Glossary, Meaning } from '../words/glossaries.ts'
import { vocabulary } from '../words/vocabulary.ts'

/** A frequent word is translated if one meaning is clear. */
const minFrequentProbability = 0.6
/** Words in a larger share of the chunks of English documentation, such as `API`, are English in any language. */
const veryCommonShare = 1000 / 87_700
/** Articles such as `la` and `el` are in English documentation, too: in names and in pages that were not translated. */
const minOwnLetters = 3
const minFormLetters = 5
const minWeight = 0.3

/**
 * The words of a question in another language as English stems: for each word the stems that it may mean, best first. Identifiers, and words that
 * the glossary does not have, stay as they are.
 */
export function translateQuestion(question: string, { glossary, isLatin }: ForeignLanguage): WeightedTerm[][] {
  const itself = (word: string): WeightedTerm[] => [{ term: stem(word), weight: 1 }]
  const translate = (word: string): WeightedTerm[] => {
    if (!isLatin && isAscii(word)) return itself(word)
    const meanings = glossary.find(word)
    if (glossary.frequent.has(word) && (meanings?.[0]?.probability ?? 0) < minFrequentProbability)
      return !meanings && word.length >= minOwnLetters && vocabulary().share(stem(word)) >= veryCommonShare ? itself(word) : []
    if (meanings) return weighted(meanings)
    const form = word.length >= minFormLetters && !ideographs.test(word) ? glossary.findForm(word) : undefined
    if (form) return weighted(form)
    return isAscii(word) ? itself(word) : []
  }
  const parts = (word: string): string[] => (isLatin ? compoundParts(word, glossary) : [word])
  const all = [...tokens(question)].flatMap(({ words, joined }) => [
    ...words.flatMap(parts).map(translate),
    ...joined.map(itself),
  ])
  return all.filter((terms) => terms.length > 0)
}

const weighted = (meanings: Meaning[]): WeightedTerm[] =>
  meanings.map(({ stem: term, probability }) => ({
    term,
    weight: Math.max(minWeight, Math.min(1, probability / (meanings[0]?.probability ?? 1))),
  }))

const minPartLetters = 4
/** Letters that join the parts of a German compound. */
const joints = ['', 's', 'n', 'en', 'es']

/** The two parts of a compound such as `Entwicklungsserver`, the second as long as possible; the word itself if it is none. */
function compoundParts(word: string, glossary: Glossary): string[] {
  if (word.length < 2 * minPartLetters || isWhole(word, glossary)) return [word]
  for (let at = minPartLetters; at <= word.length - minPartLetters; at++) {
    const end = word.slice(at)
    if (!glossary.find(end) && !isEnglish(end)) continue
    const start = word.slice(0, at)
    const first = joints
      .filter((joint) => start.endsWith(joint))
      .map((joint) => start.slice(0, start.length - joint.length))
      .find((each) => each.length >= minPartLetters && glossary.find(each))
    if (first) return [first, end]
  }
  return [word]
}

const isWhole = (word: string, glossary: Glossary): boolean =>
  glossary.frequent.has(word) || (glossary.find(word) ?? glossary.findForm(word)) !== undefined || isEnglish(word)

const isEnglish = (word: string): boolean => vocabulary().find(stem(word)) !== undefined
