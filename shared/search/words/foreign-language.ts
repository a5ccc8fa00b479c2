import { isAscii, plain, stem, tokens } from './analyse.ts'
import { functionWords } from './function-words.ts'
import { type Lexicon, lexicons } from './lexicons.ts'
import { vocabulary } from './vocabulary.ts'

/** A language other than English that a question is asked in. */
export type ForeignLanguage = { lexicon: Lexicon; isLatin: boolean }

/** The first one that a text contains decides: Japanese is written with Han characters, too. */
const scripts: [language: string, letters: RegExp][] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['ko', /\p{Script=Hangul}/u],
  ['zh-cn', /\p{Script=Han}/u],
  ['ru', /\p{Script=Cyrillic}/u],
]
const otherScripts = new Set(scripts.map(([language]) => language))
/** Words in a larger share of the chunks of English documentation are English words. */
const commonShare = 100 / 87_700
const minForeign = 3
/** English has no accents, so fewer words are needed. */
const minForeignWithAccents = 2
const accented = /[^\p{ASCII}\P{L}]/u
const minForeignLetters = 4
/** Shorter words have too many neighbours to be known by their beginning. */
const minFormLetters = 6

/**
 * The language of a question that is not asked in English, if the library does not have most of its words. Undefined if there is no lexicon for it.
 * Reads the lexicons only for a question with words that are neither English nor known to the library.
 */
export function foreignLanguage(question: string, isKnown: (term: string) => boolean): ForeignLanguage | undefined {
  const text = plain(question).toLowerCase()
  const [script] = scripts.find(([, letters]) => letters.test(text)) ?? []
  const language = script === undefined ? latinLanguage(text, accented.test(question), isKnown) : otherLanguage(script)
  return language && !isSpoken(question, language, isKnown) ? language : undefined
}

/** Languages in scripts that no lexicon has. */
const otherLanguages: [codes: string[], letters: RegExp][] = [
  [['ar', 'fa', 'ur', 'ps'], /\p{Script=Arabic}/u],
  [['hi', 'mr', 'ne'], /\p{Script=Devanagari}/u],
  [['th'], /\p{Script=Thai}/u],
  [['he'], /\p{Script=Hebrew}/u],
  [['el'], /\p{Script=Greek}/u],
  [['bn'], /\p{Script=Bengali}/u],
  [['ta'], /\p{Script=Tamil}/u],
  [['uk', 'bg', 'sr', 'ru'], /\p{Script=Cyrillic}/u],
]

/** The codes of the languages that a question may be asked in, the likeliest first. Empty for English and for questions that are too short to tell. */
export function questionLanguages(question: string): string[] {
  const text = plain(question).toLowerCase()
  const [script] = scripts.find(([, letters]) => letters.test(text)) ?? []
  const others = otherLanguages.flatMap(([codes, letters]) => (letters.test(text) ? codes : []))
  if (script !== undefined) return [script.split('-')[0] ?? script, ...others]
  if (others.length > 0) return others
  const latin = latinLanguage(text, accented.test(question), () => false)?.lexicon ?? lexiconBySmallWords(text)
  const [code] = [...lexicons()].find(([, lexicon]) => lexicon === latin) ?? []
  return code === undefined ? [] : [code]
}

const minSmallWords = 2

/** The lexicon with most of the small words that English does not have, if they are more than the English ones. */
function lexiconBySmallWords(text: string): Lexicon | undefined {
  const words = [...new Set(text.match(/\p{L}{2,}/gu) ?? [])]
  const english = words.filter((word) => functionWords.has(word)).length
  const others = words.filter((word) => !isEnglish(word))
  if (others.length < minSmallWords) return undefined
  let best: { lexicon: Lexicon; count: number } | undefined
  for (const [language, lexicon] of lexicons()) {
    if (otherScripts.has(language)) continue
    const count = others.filter((word) => lexicon.small.has(word)).length
    if (count >= Math.max(minSmallWords, english + 1) && count > (best?.count ?? 0)) best = { lexicon, count }
  }
  return best?.lexicon
}

/** True for an English function word, and for a word that is common in English documentation. */
const isEnglish = (word: string): boolean => functionWords.has(word) || vocabulary().share(stem(word)) >= commonShare

function otherLanguage(script: string): ForeignLanguage | undefined {
  const lexicon = lexicons().get(script)
  return lexicon && { lexicon, isLatin: false }
}

/** Forms of words are recognised only in a text with accents, because a misspelt English word may resemble a foreign one. */
function latinLanguage(text: string, hasAccents: boolean, isKnown: (term: string) => boolean): ForeignLanguage | undefined {
  const words = text.match(/\p{L}{2,}/gu) ?? []
  const english = words.filter((word) => functionWords.has(word)).length
  const others = words.filter((word) => !isEnglish(word))
  const needed = Math.max(hasAccents ? minForeignWithAccents : minForeign, english + 2)
  if (others.length + words.length - english < needed || others.every((word) => isKnown(stem(word)))) return undefined
  let best: { lexicon: Lexicon; score: number } | undefined
  for (const [language, lexicon] of lexicons()) {
    if (otherScripts.has(language)) continue
    const isForm = (word: string) => hasAccents && word.length >= minFormLetters && lexicon.findForm(word) !== undefined
    const own = others.filter((word) => lexicon.small.has(word) || lexicon.find(word) || isForm(word)).length
    const small = words.filter((word) => lexicon.small.has(word) && !functionWords.has(word)).length
    const score = own + small
    if (own > 0 && score >= needed && score > (best?.score ?? 0)) best = { lexicon, score }
  }
  return best && { lexicon: best.lexicon, isLatin: true }
}

/** True if the library has most of the words that only the foreign language has. */
function isSpoken(question: string, { lexicon, isLatin }: ForeignLanguage, isKnown: (term: string) => boolean): boolean {
  const isForeign = (word: string) =>
    isLatin ? word.length >= minForeignLetters && !isEnglish(word) && !lexicon.frequent.has(word) : !isAscii(word)
  const foreign = [...tokens(question)].flatMap(({ words }) => words.filter(isForeign))
  return foreign.filter((word) => isKnown(stem(word))).length * 2 > foreign.length
}
