import { stem, tokens } from '../../../shared/search/words/analyse.ts'
import { functionWords } from '../../../shared/search/words/function-words.ts'
import type { NumberedPair } from './align-words.ts'
import { capitalCounter, capitalisedWord, capitalOrAcronym } from './capital-counter.ts'
import type { SentencePair } from './sentence-pair.ts'
import { type WordNumbers, wordNumbers } from './word-numbers.ts'

/** The data about the sentence pairs of one language that the builder keeps. */
export type PairCorpus = {
  pairs: NumberedPair[]
  foreign: ForeignWord[]
  /** English stems. */
  english: string[]
  parts: number
  /** True if most of its words are written in Latin script. */
  isLatin: boolean
  /** True for an English stem that is a proper name. */
  isEnglishName(stem: string): boolean
}

export type ForeignWord = {
  word: string
  /** Sentences that have it. */
  sentences: number
  /** Sentences whose English text has the same word. */
  unchanged: number
  /** Number of catalogues or chapters that have it. */
  parts: number
  isName: boolean
}

/** Longer paragraphs say little about which word translates which. */
const maxWords = 150
const minSentences = 3

/** Numbers the words of sentence pairs. Uses each pair once, and only words of three or more pairs. */
export function pairCorpus(sentences: Iterable<SentencePair>): PairCorpus {
  const [foreign, english] = [wordNumbers(), wordNumbers()]
  const [foreignCapitals, englishCapitals] = [capitalCounter(capitalisedWord), capitalCounter(capitalOrAcronym, stem)]
  const unchanged: number[] = []
  const partsOf: Set<string>[] = []
  const seen = new Set<string>()
  const parts = new Set<string>()
  const pairs: NumberedPair[] = []
  for (const pair of sentences) {
    const key = `${pair.english}\n${pair.foreign}`
    if (seen.has(key)) continue
    seen.add(key)
    const englishTokens = [...tokens(pair.english)]
    const englishWords = new Set(englishTokens.flatMap(({ words, joined }) => [...words, ...joined]))
    const foreignWords = new Set([...tokens(pair.foreign)].flatMap(({ words }) => words))
    const content = [...englishWords].filter((word) => !functionWords.has(word) && !hasDigit.test(word))
    if (content.length === 0 || foreignWords.size === 0 || Math.max(content.length, foreignWords.size) > maxWords) continue
    foreignCapitals.add(pair.foreign)
    englishCapitals.add(pair.english)
    parts.add(pair.part)
    const numbered = { foreign: foreign.add(foreignWords), english: english.add(new Set(content.map(stem))) }
    for (const [place, word] of [...foreignWords].entries()) {
      const i = numbered.foreign[place] as number
      unchanged[i] = (unchanged[i] ?? 0) + Number(englishWords.has(word))
      partsOf[i] = (partsOf[i] ?? new Set()).add(pair.part)
    }
    pairs.push(numbered)
  }
  const latin = foreign.words.filter((word) => /\p{Script=Latin}/u.test(word)).length
  return {
    isLatin: latin > foreign.words.length / 2,
    ...withFrequentWords(pairs, foreign, english, (word, i) => ({
      word,
      sentences: foreign.counts[i] as number,
      unchanged: unchanged[i] as number,
      parts: partsOf[i]?.size ?? 0,
      isName: foreignCapitals.isName(word),
    })),
    parts: parts.size,
    isEnglishName: englishCapitals.isName,
  }
}

const hasDigit = /\p{N}/u

/** Drops the words of fewer than three pairs and renumbers the others. */
function withFrequentWords(
  pairs: NumberedPair[],
  foreign: WordNumbers,
  english: WordNumbers,
  describe: (word: string, i: number) => ForeignWord,
): Pick<PairCorpus, 'pairs' | 'foreign' | 'english'> {
  const [keptForeign, keptEnglish] = [foreign, english].map((each) => each.renumbered(minSentences)) as [Kept, Kept]
  return {
    pairs: pairs.map((pair) => ({ foreign: keptForeign.apply(pair.foreign), english: keptEnglish.apply(pair.english) })),
    foreign: keptForeign.old.map((i) => describe(foreign.words[i] as string, i)),
    english: keptEnglish.old.map((i) => english.words[i] as string),
  }
}

type Kept = ReturnType<WordNumbers['renumbered']>
