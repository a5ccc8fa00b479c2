import { tokens } from '../../../shared/search/words/analyse.ts'

/** Counts whether words are capitalised within sentences. */
export type CapitalCounter = {
  add(text: string): void
  /** True for the key of a word that is mostly capitalised. False in a language that capitalises all nouns. */
  isName(key: string): boolean
}

/** A word that follows another one in its sentence: it has no capital because of its place. */
const innerWord = /(?<=[\p{L}\p{M}\p{N},)] )\p{L}[\p{L}\p{M}\p{N}]+/gu
/** Acronyms are capitalised, too: every language uses those of English. */
export const capitalOrAcronym = /^\p{Lu}/u
export const capitalisedWord = /^\p{Lu}\p{M}*(?=.*\p{Ll})/su
const minSeen = 2
const minCapitalised = 0.8
/** Share of words with a capital above which the language capitalises nouns (German); 2 % to 5 % are names. */
const maxCapitalised = 0.15

/** Counts words that match `capitalised`, by the key of the word in lower case. */
export function capitalCounter(capitalised: RegExp, keyOf = (word: string) => word): CapitalCounter {
  const counts = new Map<string, { seen: number; capitals: number }>()
  const all = { seen: 0, capitals: 0 }
  const count = (word: string, isCapital: boolean) => {
    const own = counts.get(word) ?? { seen: 0, capitals: 0 }
    counts.set(word, own)
    own.seen += 1
    if (isCapital) own.capitals += 1
  }
  return {
    add(text) {
      for (const [word] of text.replace(/\s+/g, ' ').matchAll(innerWord)) {
        all.seen += 1
        if (capitalisedWord.test(word)) all.capitals += 1
        for (const { words, joined } of tokens(word))
          for (const each of [words[0], ...joined]) if (each) count(keyOf(each), capitalised.test(word))
      }
    },
    isName(key) {
      const own = counts.get(key)
      if (own === undefined || own.seen < minSeen || all.capitals > maxCapitalised * all.seen) return false
      return own.capitals >= minCapitalised * own.seen
    },
  }
}
