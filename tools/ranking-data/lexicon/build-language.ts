import { stem } from '../../../shared/search/words/analyse.ts'
import { functionWords } from '../../../shared/search/words/function-words.ts'
import { alignWords, type Translation } from './align-words.ts'
import { type ForeignWord, type PairCorpus, pairCorpus } from './pair-corpus.ts'
import type { SentencePair } from './sentence-pair.ts'

/** `words`: English stems with their probabilities, most probable first. `frequent`: the most frequent words first. */
export type LanguageLexicon = { words: Record<string, [stem: string, probability: number][]>; frequent: string[] }

const frequentWords = 150
/** Minimum share of all catalogues or chapters: a frequent word in fewer belongs to a project or a kind of page. */
const minFrequentParts = 0.05
const maxTranslations = 3
const minProbability = 0.1
const minBest = 0.2
/** Pairs of letters cross word boundaries; a low probability mostly means that this one does. */
const minBestOfPair = 0.35
const minBestOfRarePair = 0.5
const rarePairSentences = 20
/** A word of a single catalogue or chapter is often a word of one project. */
const minBestOfOnePart = 0.5
const letterPair = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
/** Maximum share of the sentences with the word. */
const maxUnchanged = 0.5

/**
 * The lexicon of one language. Translations are English stems of `vocabulary`. Omits proper names, unsure
 * words of a single catalogue or chapter, words with digits and words that mean themselves.
 */
export function buildLanguage(sentences: Iterable<SentencePair>, vocabulary: Set<string>): LanguageLexicon {
  const corpus = pairCorpus(sentences)
  const translations = alignWords(corpus.pairs, corpus.foreign.length, corpus.english.length)
  const entries = corpus.foreign.flatMap((foreign, i): [string, [string, number][]][] => {
    if (!isWordOf(corpus, foreign)) return []
    const likely = likelyTranslations(translations[i] ?? [], foreign, corpus, vocabulary)
    return likely.length > 0 ? [[foreign.word, likely]] : []
  })
  return { words: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))), frequent: frequentIn(corpus) }
}

function likelyTranslations(
  translations: Translation[],
  foreign: ForeignWord,
  corpus: PairCorpus,
  vocabulary: Set<string>,
): [string, number][] {
  const { word } = foreign
  const possible = translations
    .slice(0, 20)
    .map(({ english, probability }): [string, number] => [corpus.english[english] as string, probability])
    .filter(([english]) => vocabulary.has(english) && !corpus.isEnglishName(english))
  const [best, highest] = possible[0] ?? ['', 0]
  if (highest < minBestFor(foreign) || best === word || (isUnchanged(foreign) && best !== stem(word))) return []
  return possible
    .filter(([, probability]) => probability >= Math.max(minProbability, highest / 4))
    .slice(0, maxTranslations)
    .map(([english, probability]) => [english, Math.round(probability * 10) / 10])
}

function minBestFor({ word, parts, sentences }: ForeignWord): number {
  const minOfPair = sentences < rarePairSentences ? minBestOfRarePair : minBestOfPair
  return Math.max(letterPair.test(word) ? minOfPair : minBest, parts === 1 ? minBestOfOnePart : 0)
}

/** False for names, words with digits, and English words in a language with another script. */
function isWordOf({ isLatin }: PairCorpus, { word, isName }: ForeignWord): boolean {
  return !isName && !hasDigit.test(word) && (isLatin || !latinWord.test(word))
}

const latinWord = /^\p{Script=Latin}+$/u
const hasDigit = /\p{N}/u

/** True for a word that the language takes from English. Words such as `a` and `no` are words of several languages. */
const isUnchanged = ({ word, sentences, unchanged }: ForeignWord) =>
  !functionWords.has(word) && unchanged > maxUnchanged * sentences

function frequentIn(corpus: PairCorpus): string[] {
  const { foreign, parts } = corpus
  return foreign
    .filter((each) => isWordOf(corpus, each) && !isUnchanged(each) && each.parts >= minFrequentParts * parts)
    .sort((a, b) => b.sentences - a.sentences || (a.word < b.word ? -1 : 1))
    .slice(0, frequentWords)
    .map(({ word }) => word)
}
