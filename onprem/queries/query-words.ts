/** Enough for a question in words; each costs a lookup. */
const maxWords = 8
const maxQueryChars = 500
const maxWordChars = 64
/** The last word is also the start of words, from this length in headings and text. */
const minPrefixChars = 2

const wordPattern = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu

/** Lower case without diacritics, as the text index compares words. */
export const plainWord = (word: string): string =>
  word
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

/** The words of what somebody types, without repetitions, at most eight. The last one may be unfinished. */
export const queryWords = (query: string): string[] => {
  const words = query.slice(0, maxQueryChars).match(wordPattern) ?? []
  const last = words.at(-1)
  const distinct = [...new Set(words.map((word) => plainWord(word.slice(0, maxWordChars))))].slice(0, maxWords)
  return last === undefined ? [] : distinct
}

/** All different words of a text. */
export const plainWords = (text: string): string[] => [...new Set((text.match(wordPattern) ?? []).map(plainWord))]

/** True if the text has the word; of the last word, a word that it starts. */
export const hasWord = (words: Iterable<string>, wanted: string, isLast: boolean): boolean =>
  [...words].some((word) => word === wanted || (isLast && word.startsWith(wanted)))

/** An FTS5 query for rows that have all words, at least one of them in the given columns. Words are quoted, so none is an operator. */
export function matchOf(words: string[], columns: string): string | undefined {
  const last = words.length - 1
  if (last === 0 && (words[0]?.length ?? 0) < minPrefixChars) return undefined
  const terms = words.map((word, i) => `"${word}"${i === last && word.length >= minPrefixChars ? '*' : ''}`)
  return `(${terms.join(' AND ')}) AND {${columns}} : (${terms.join(' OR ')})`
}

/** The places of the words in a text, as pairs of offsets (UTF-16), in order. */
export function marksOf(text: string, words: string[]): [number, number][] {
  const last = words.length - 1
  return [...text.matchAll(wordPattern)].flatMap(({ 0: word, index }) => {
    const plain = plainWord(word)
    const whole = words.some((wanted) => wanted === plain)
    const started = words[last] !== undefined && plain.startsWith(words[last])
    if (!whole && !started) return []
    return [[index, index + (whole ? word.length : Math.min(word.length, words[last]?.length ?? 0))] as [number, number]]
  })
}

const excerptChars = 160
const charsBefore = 40

/** A part of a text around its first matched word, on one line, with "…" where it was cut. */
export function excerptAround(text: string, words: string[]): string {
  const line = text.slice(0, maxScannedChars).replace(/\s+/g, ' ').trim()
  const [first] = marksOf(line, words)
  const from = first === undefined || first[0] <= charsBefore ? 0 : wordStart(line, first[0] - charsBefore)
  const to = from + excerptChars
  return `${from > 0 ? '…' : ''}${line.slice(from, to).toWellFormed()}${to < line.length ? '…' : ''}`
}

const maxScannedChars = 20_000

/** The start of the word after a place, so that no word is cut. */
function wordStart(line: string, from: number): number {
  const space = line.indexOf(' ', from)
  return space === -1 || space > from + charsBefore ? from : space + 1
}
