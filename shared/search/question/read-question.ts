import { editDistance } from '../../text/edit-distance.ts'
import type { WeightedTerm } from '../rows/snippet-store.ts'
import type { LibraryStatistics } from '../statistics/statistics.ts'
import { stem, tokens } from '../words/analyse.ts'
import { foreignLanguage } from '../words/foreign-language.ts'
import { functionWords } from '../words/function-words.ts'
import { vocabulary } from '../words/vocabulary.ts'
import { translateQuestion } from './translate-question.ts'

/** One subject of a question: the terms that may name it. Only the best match is scored. */
export type Concept = WeightedTerm[]

/**
 * `stems` are those of its words without function words, also those that the library does not have. `repaired` is the question with its misspelt
 * words replaced by words of the library, `english` the English words for a question in another language: what a model reads.
 */
export type Question = { concepts: Concept[]; stems: string[]; repaired: string; english?: string }

type Words = Pick<LibraryStatistics, 'documentFrequency' | 'wordFrequency' | 'wordsLike' | 'wordOf'>

const maxConcepts = 64
/** Repairing a misspelt word reads many words of the library. */
const maxRepaired = 16
const minTypoLength = 4
/** Stems that a misspelt word may mean. */
const maxMeant = 3
/** `can't` does not ask for the word `t`. */
const contractions = /(?<=\p{L})['’](?:t|s|re|ve|ll|d|m)(?![\p{L}\p{N}])/giu

/** The subjects of a question in the words of the library. Drops function words and repairs unknown words. Translates a question in another language. */
export function readQuestion(question: string, library: Words): Question {
  const isKnown = (term: string) => library.documentFrequency(term) > 0
  const language = foreignLanguage(question, isKnown)
  const translated = language ? readConcepts(translateQuestion(question, language), isKnown) : []
  if (translated.length > 0) {
    const stems = translated.flatMap(([first]) => first?.term ?? [])
    const english = stems.map((each) => library.wordOf(each) ?? each).join(' ')
    return { concepts: translated, stems, repaired: question, english }
  }
  return readEnglish(question, library)
}

/** The terms that the library has, once each. */
function readConcepts(all: Concept[], isKnown: (term: string) => boolean): Concept[] {
  const concepts = new Map<string, Concept>()
  for (const terms of all) {
    const knownTerms = terms.filter(({ term }) => isKnown(term))
    const name = knownTerms[0]?.term
    if (name !== undefined && !concepts.has(name) && concepts.size < maxConcepts) concepts.set(name, knownTerms)
  }
  return [...concepts.values()]
}

function readEnglish(question: string, library: Words): Question {
  const all = [...tokens(question.replace(contractions, ''))]
  const meant = all.filter((token) => token.joined.length > 0 || !token.words.every((word) => functionWords.has(word)))
  const concepts: Concept[] = []
  const stems: string[] = []
  const unknown = new Set<string>()
  const repairs = new Map<string, string>()
  for (const token of meant.length > 0 ? meant : all) {
    for (const word of token.words) {
      if (meant.length > 0 && functionWords.has(word)) continue
      stems.push(stem(word))
      if (library.documentFrequency(stem(word)) > 0) concepts.push([{ term: stem(word), weight: 1 }])
      else if (unknown.size < maxRepaired && !unknown.has(word)) {
        unknown.add(word)
        const [closest, ...others] = repair(word, library)
        if (closest === undefined) continue
        repairs.set(word, closest)
        const terms = [...new Set([closest, ...others].map(stem))].slice(0, maxMeant)
        concepts.push(terms.map((term, i) => ({ term, weight: i === 0 ? 0.9 : 0.5 })))
      }
    }
    for (const word of token.joined) {
      stems.push(stem(word))
      concepts.push([{ term: stem(word), weight: 1 }])
    }
  }
  const repaired = question.replace(/[\p{L}\p{N}]+/gu, (word) => repairs.get(word.toLowerCase()) ?? word)
  return { concepts: readConcepts(concepts, (term) => library.documentFrequency(term) > 0), stems, repaired }
}

/** The words of the library that a word may be a misspelling of, the closest first. */
function repair(word: string, library: Words): string[] {
  if (word.length < minTypoLength) return []
  // A word that other documentation uses is spelt correctly.
  if (vocabulary().find(stem(word)) !== undefined) return []
  return library
    .wordsLike(word, 2)
    .map((candidate) => ({
      candidate,
      distance: editDistance(word, candidate, maxDistance(word, candidate)),
      limit: maxDistance(word, candidate),
    }))
    .filter(({ distance, limit }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || library.wordFrequency(b.candidate) - library.wordFrequency(a.candidate))
    .map(({ candidate }) => candidate)
}

function maxDistance(word: string, candidate: string): number {
  if (word.length >= 8) return 2
  return word.length >= 5 && word.slice(0, 3) === candidate.slice(0, 3) ? 2 : 1
}
