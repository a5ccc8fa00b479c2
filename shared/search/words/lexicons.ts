import { readFileSync } from 'node:fs'

/** An English stem that a foreign word may mean, with its probability. */
export type Translation = { stem: string; probability: number }

/** Foreign words as they are written in questions, with the English stems that they mean in documentation. */
export type Lexicon = {
  /** The translations of a word, the most probable first. */
  find(word: string): Translation[] | undefined
  /** The translations of the word with the longest common beginning, if they may be forms of one word. */
  findForm(word: string): Translation[] | undefined
  /** The most frequent words of the language, which mostly do not say what a question is about. */
  frequent: ReadonlySet<string>
  /** The short ones among the most frequent, by which the language is recognised. */
  small: ReadonlySet<string>
}

type Entries = Record<string, { words: Record<string, [stem: string, probability: number][]>; frequent: string[] }>

const maxSmallLetters = 5
const maxSmall = 60
const minCommonLetters = 5
const maxEnding = 3

let loaded: Map<string, Lexicon> | undefined

/** The lexicons by language, such as `pt-br`. Loaded with the first call. */
export function lexicons(): Map<string, Lexicon> {
  loaded ??= readLexicons(readFileSync(new URL('./data/lexicon.json', import.meta.url), 'utf8'))
  return loaded
}

/** Each lexicon is kept as one sorted text, which takes less memory than objects. */
function readLexicons(json: string): Map<string, Lexicon> {
  const entries = Object.entries(JSON.parse(json) as Entries)
  return new Map(entries.map(([language, { words, frequent }]) => [language, lexicon(words, frequent)]))
}

function lexicon(words: Entries[string]['words'], frequent: string[]): Lexicon {
  const lines = Object.entries(words).map(([word, translations]) => `${word} ${translations.flat().join(' ')}`)
  const text = `\n${lines.sort().join('\n')}\n`
  const wordAt = (start: number) => text.slice(start, text.indexOf(' ', start))
  const after = (start: number) => text.indexOf('\n', start) + 1
  const before = (start: number) => text.lastIndexOf('\n', start - 2) + 1
  /** The start of the first line whose word is not below `word`. */
  const lowest = (word: string) => {
    let [low, high] = [1, text.length]
    while (low < high) {
      const start = text.lastIndexOf('\n', ((low + high) >>> 1) - 1) + 1
      if (wordAt(start) < word) low = after(start)
      else high = start
    }
    return low
  }
  const translationsAt = (start: number): Translation[] => {
    const fields = text.slice(start, after(start) - 1).split(' ')
    return fields.flatMap((stem, i) => (i % 2 === 1 ? [{ stem, probability: Number(fields[i + 1]) }] : []))
  }
  return {
    find(word) {
      const at = lowest(word)
      return at < text.length && wordAt(at) === word ? translationsAt(at) : undefined
    },
    findForm(word) {
      const needed = Math.max(minCommonLetters, word.length - maxEnding)
      const from = lowest(word)
      let best: { at: number; common: number } | undefined
      for (const [first, next] of [
        [from, after],
        [before(from), before],
      ] as const) {
        for (let at = first; at > 0 && at < text.length; at = next(at)) {
          const entry = wordAt(at)
          const common = commonLetters(word, entry)
          if (common < needed) break
          if (Math.abs(entry.length - word.length) <= maxEnding && common > (best?.common ?? 0)) best = { at, common }
        }
      }
      return best && translationsAt(best.at)
    },
    frequent: new Set(frequent),
    small: new Set(frequent.filter((word) => word.length <= maxSmallLetters).slice(0, maxSmall)),
  }
}

function commonLetters(a: string, b: string): number {
  let common = 0
  while (common < a.length && a[common] === b[common]) common += 1
  return common
}
