import { matchingLanguages, primaryLanguage, shownLanguage } from '../../text/language-codes.ts'
import type { LibraryStatistics } from '../statistics/statistics.ts'
import { questionLanguages } from '../words/foreign-language.ts'
import type { RankedRow } from './rank.ts'

/** The languages that an answer prefers. */
export type AnswerLanguage = {
  /** Multiplies the score of a page. */
  factor(page: number): number
  /** True if a page is in one of the languages that are preferred to all others. */
  isPreferred(page: number): boolean
  /** A sentence about the requested language, if the library does not have it. */
  note?: string
  /** Rows in other languages are omitted. */
  isRequired: boolean
}

type Languages = Pick<LibraryStatistics, 'docsLanguages' | 'docsLanguageOf'>

/** Translations of a page have most identifiers of a question, too, so they must lose clearly. */
const factors = { main: 0.8, other: 0.5 }
const maxShown = 60

/**
 * Prefers the requested language, else that of the question, then the main one of the library: English, else the one with most pages. A library
 * in one language is ranked as it is.
 */
export function answerLanguage(question: string, { docsLanguages, docsLanguageOf }: Languages, requested = ''): AnswerLanguage {
  const matches = matchingLanguages(requested, docsLanguages)
  const note = requested.trim() === '' || matches.length > 0 ? undefined : ignoredNote(requested, docsLanguages)
  const [first = ''] = docsLanguages
  const [main = first] = matchingLanguages('en', docsLanguages)
  const own = docsLanguages.length < 2 ? [] : languagesOf(question, docsLanguages)
  const preferred = matches.length > 0 ? matches : own.length > 0 ? own : [main]
  const isPreferred = (page: number): boolean => {
    const language = docsLanguageOf(page)
    return language === undefined || preferred.includes(language)
  }
  const factor = (page: number): number => (isPreferred(page) ? 1 : docsLanguageOf(page) === main ? factors.main : factors.other)
  return { factor, isPreferred, isRequired: matches.length > 0, ...(note !== undefined && { note }) }
}

/** Those of the likeliest language of a question that the library has. */
const languagesOf = (question: string, existing: string[]): string[] =>
  questionLanguages(question)
    .map((code) => matchingLanguages(code, existing))
    .find((codes) => codes.length > 0) ?? []

function ignoredNote(requested: string, languages: string[]): string | undefined {
  const shown = requested.replace(/\s+/g, ' ').trim().slice(0, maxShown)
  if (languages.length > 0)
    return `docsLanguage "${shown}" is ignored: the documentation is in ${languages.map(shownLanguage).join(', ')}.`
  // Most documentation in one language is in English.
  return primaryLanguage(shown.toLowerCase()) === 'en'
    ? undefined
    : `docsLanguage "${shown}" is ignored: the library has its documentation in one language only.`
}

/** The rows by their scores for this language. If it is required, others are omitted, unless nothing else is left. */
export function inLanguage(ranked: RankedRow[], { factor, isPreferred, isRequired }: AnswerLanguage): RankedRow[] {
  const own = isRequired ? ranked.filter(({ row }) => isPreferred(row.page)) : []
  if (own.length > 0) return own
  if (ranked.every(({ row }) => isPreferred(row.page))) return ranked
  return ranked.map((each) => ({ ...each, score: each.score * factor(each.row.page) })).sort((a, b) => b.score - a.score)
}
