import { stemmer } from 'stemmer'

const compoundPattern = /[\p{L}\p{N}_$@]+(?:[.\-:/#]+[\p{L}\p{N}_$@]+)*/gu
/** Matches the same in ASCII, faster. */
const asciiCompoundPattern = /[A-Za-z0-9_$@]+(?:[.\-:/#]+[A-Za-z0-9_$@]+)*/g
const marks = /\p{M}+/gu
const separators = /[.\-:/#]+/
const minSpellingLength = 6
const mayBeBritish = /is|our|lys|logue|^centre|^licence/
/** A plural acronym (`APIs`) is one word. */
const wordPattern = /\p{Lu}{2,}s(?!\p{L})|\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+|\p{L}+|\p{N}+/gu
/** Characters of a language that is written without spaces. */
export const ideographs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const maxWordLength = 64

/** One compound as written: `app.onError` has the words `app`, `on`, `error` and the joined forms. */
export type Token = {
  /** Words in lower case, not stemmed. */
  words: string[]
  /** The compound, or a camelCase part of it, written as one word. */
  joined: string[]
  /** Stems of both, as they are indexed. */
  terms: string[]
}

/**
 * The compounds of a text: letters, digits and `_ $ @`, joined by `. - : / #`. Splits them there and at camelCase. Yields ideographs, which have
 * no spaces between words, as overlapping pairs.
 */
export function* tokens(text: string): Generator<Token> {
  for (const raw of compoundsOf(text)) yield tokenOf(raw)
}

/** Terms of a text in reading order, as they are indexed. Adds the words as written, which typos are compared with, to `words`. */
export function analyse(text: string, words?: Set<string>): string[] {
  const terms: string[] = []
  for (const raw of compoundsOf(text)) {
    const token = tokenOf(raw)
    for (const term of token.terms) terms.push(term)
    if (words === undefined) continue
    for (const word of token.words) if (word.length > 2) words.add(word)
    for (const word of token.joined) words.add(word)
  }
  return terms
}

/** The compounds of a text as written. */
export const compoundsOf = (text: string): string[] =>
  (isAscii(text) ? text.match(asciiCompoundPattern) : plain(text).match(compoundPattern)) ?? []

/** Prose without HTML tags, link targets and URLs. */
export function proseOnly(markdown: string): string {
  let prose = markdown
  // Consumes a target without an end, too: searching for an end from each `](` in it takes quadratic time.
  if (prose.includes('](')) prose = prose.replace(/\]\([^)\s]*(\)?)/g, (target, end) => (end === '' ? target : '] '))
  if (prose.includes('<')) prose = prose.replace(/<\/?[a-zA-Z][^>\n]{0,200}>/g, ' ')
  if (prose.includes('://')) prose = prose.replace(/\b[a-z][a-z0-9+.-]{1,12}:\/\/[^\s)>\]]+/gi, ' ')
  return prose
}

const knownStems = new Map<string, string>()
const knownTokens = new Map<string, Token>()
const cacheEntries = 10_000

/** Porter's stem of a lower-case word, the same for British and American spelling. */
export function stem(text: string): string {
  let stemmed = knownStems.get(text)
  if (stemmed === undefined) {
    stemmed = stemmer(americanSpelling(text))
    if (knownStems.size >= cacheEntries) knownStems.clear()
    knownStems.set(text, stemmed)
  }
  return stemmed
}

/** Words that fit a pattern by accident (`promise`) change alike in the text and in the question. */
function americanSpelling(word: string): string {
  if (word.length < minSpellingLength || !mayBeBritish.test(word)) return word
  return word
    .replace(/([bcdglmnrtvp])is(e|ed|es|er|ers|ing|ations?|able)$/, '$1iz$2')
    .replace(/([a-z]{3})our(s|ed|ing|able|ite|ites|al)?$/, '$1or$2')
    .replace(/lys(e|ed|es|er|ing)$/, 'lyz$1')
    .replace(/logue(s|d)?$/, 'log$1')
    .replace(/^centre/, 'center')
    .replace(/^licence/, 'license')
}

function tokenOf(raw: string): Token {
  let token = knownTokens.get(raw)
  if (token === undefined) {
    token = readToken(raw)
    if (knownTokens.size >= cacheEntries) knownTokens.clear()
    knownTokens.set(raw, token)
  }
  return token
}

/** `tokens` for one compound. */
export function readToken(raw: string): Token {
  const words: string[] = []
  const joined: string[] = []
  const components = raw.split(separators).filter((each) => each !== '')
  for (const component of components) {
    const parts = component.match(wordPattern) ?? []
    for (const part of parts) words.push(...spread(part.toLowerCase()))
    if (parts.length > 1) joined.push(parts.join('').toLowerCase().slice(0, maxWordLength))
  }
  if (components.length >= 2 && components.length <= 4) {
    const chain = components.join('').replace(/[_$@]/g, '').toLowerCase().slice(0, maxWordLength)
    if (chain !== '' && !joined.includes(chain)) joined.push(chain)
  }
  return { words, joined, terms: [...words, ...joined].map(stem) }
}

function spread(text: string): string[] {
  if (!ideographs.test(text)) return [text.slice(0, maxWordLength)]
  const letters = [...text].slice(0, 1000)
  return letters.length === 1 ? letters : letters.slice(1).map((each, i) => `${letters[i]}${each}`)
}

/** The text without marks on letters, and with one form of each character. */
export const plain = (text: string): string => (isAscii(text) ? text : text.normalize('NFKD').replace(marks, '').normalize('NFC'))

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
export const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)
