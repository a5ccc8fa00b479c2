import { excerpt } from '../../../text/excerpt.ts'
import { matchingLanguages, shownLanguage } from '../../../text/language-codes.ts'
import type { Translations } from './translations.ts'

/** The languages of a repository's documents. */
export type DocumentLanguages = {
  /** Most documents first; empty if they are unknown. */
  existing: { code: string; files: number }[]
  read: string[]
  /** Requested languages that do not exist. */
  missing: string[]
}

/** The requested languages, else the main one, those of folders that are named, and that of pages such as a README that have no translation. */
export function chooseLanguages(
  { languages: existing, main, rest }: Pick<Translations, 'languages' | 'main' | 'rest'>,
  { requested, named }: { requested: string[] | undefined; named: string[] },
): DocumentLanguages {
  const codes = existing.map(({ code }) => code)
  const matches = (requested ?? []).map((code) => ({ code, found: matchingLanguages(code, codes) }))
  const found = new Set(matches.flatMap((each) => each.found))
  const byDefault = new Set([main, rest, ...named].filter((code) => code !== undefined))
  const chosen = found.size > 0 ? found : byDefault
  // A text that is too short to tell may be in any language.
  const missing = codes.length === 0 ? [] : matches.flatMap((each) => (each.found.length === 0 ? [each.code] : []))
  return { existing, read: codes.filter((code) => chosen.has(code)), missing }
}

const listed = (codes: string[]): string => {
  const names = codes.map(shownLanguage)
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** Which languages exist, which of them are read, and how to read others. Undefined if there is one language. */
export function describeLanguages({ existing, read }: DocumentLanguages): string | undefined {
  if (existing.length < 2) return undefined
  const unread = existing.map(({ code }) => code).filter((code) => !read.includes(code))
  if (unread.length === 0) return `The documentation is read in all its languages: ${listed(read)}.`
  const example = JSON.stringify([...read, unread[0]])
  return `The documentation is read in ${listed(read)}. It also exists in ${listed(unread)}. To read others, list them in languages, for example ${example}.`
}

/** The sentence for a requested language that does not exist. */
export function describeMissing(missing: string, { existing }: Pick<DocumentLanguages, 'existing'>): string {
  const are = existing.length === 1 ? 'exists only in' : 'exists in'
  return `The documentation has no pages in ${excerpt(shownLanguage(missing))}. It ${are} ${listed(existing.map(({ code }) => code))}.`
}
