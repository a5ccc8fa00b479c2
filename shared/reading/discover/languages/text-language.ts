import { canonicalLanguage, primaryLanguage } from '../../../text/language-codes.ts'
import { pageLanguage } from './page-language.ts'

/** The beginning of a document, undefined if it cannot be read. */
export type ReadStart = (path: string) => string | undefined

/** `script` is the Unicode script of most letters; `language` is unknown for short texts in Latin letters. */
type TextLanguage = { script: string; language: string | undefined }

const maxFiles = 4
const minLetters = 8
const scripts =
  'Latin Han Hiragana Katakana Hangul Cyrillic Arabic Devanagari Thai Hebrew Greek Bengali Tamil Telugu Georgian Armenian'
const lettersOf = new Map(scripts.split(' ').map((script) => [script, new RegExp(`\\p{Script=${script}}`, 'gu')]))
const codes: Record<string, string> = {
  ...{ Latin: 'Latn', Han: 'Hani', Hiragana: 'Jpan', Katakana: 'Jpan', Hangul: 'Kore', Cyrillic: 'Cyrl', Arabic: 'Arab' },
  ...{ Devanagari: 'Deva', Thai: 'Thai', Hebrew: 'Hebr', Greek: 'Grek', Bengali: 'Beng', Tamil: 'Taml', Telugu: 'Telu' },
  ...{ Georgian: 'Geor', Armenian: 'Armn' },
}
/** Scripts in which one language writes almost all documentation. */
const languageOfScript: Record<string, string> = { Hani: 'zh', Jpan: 'ja', Kore: 'ko', Thai: 'th', Hebr: 'he', Grek: 'el' }

/** The language of the first of these documents that have enough prose. */
export function textLanguage(paths: string[], readStart: ReadStart): TextLanguage | undefined {
  const step = Math.max(1, Math.floor(paths.length / maxFiles))
  const found: TextLanguage[] = []
  for (let at = 0; at < paths.length && found.length < maxFiles; at += step) {
    const language = languageOf(proseOf(readStart(paths[at] as string) ?? ''))
    if (language) found.push(language)
  }
  return commonest(found.filter(({ language }) => language !== undefined)) ?? commonest(found)
}

function commonest(found: TextLanguage[]): TextLanguage | undefined {
  const groups = Map.groupBy(found, ({ script, language }) => `${script} ${language}`)
  return [...groups.values()].sort((a, b) => b.length - a.length)[0]?.[0]
}

/** True if a text is in a language, false if it is in English instead or in another script, undefined if it may be in a similar language. */
export function isWrittenIn(text: TextLanguage | undefined, code: string): boolean | undefined {
  if (!text) return undefined
  const script = scriptOf(code)
  if (script !== text.script) return false
  if (script !== 'Latn' || text.language === primaryLanguage(code)) return true
  return text.language === 'en' || (text.language !== undefined && primaryLanguage(code) === 'en') ? false : undefined
}

const scriptOf = (code: string): string => {
  const script = new Intl.Locale(code).maximize().script ?? ''
  return script === 'Hans' || script === 'Hant' ? 'Hani' : script
}

function languageOf(prose: string): TextLanguage | undefined {
  const counts = [...lettersOf].map(([script, letters]) => ({
    script: codes[script] ?? '',
    count: prose.match(letters)?.length ?? 0,
  }))
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  if (total < minLetters) return undefined
  // Words of programs are in Latin letters in any text.
  const other = counts.filter(({ script }) => script !== 'Latn').reduce((sum, { count }) => sum + count, 0)
  const isLatin = other * 6 < total
  const kana = counts.filter(({ script }) => script === 'Jpan').reduce((sum, { count }) => sum + count, 0)
  const [most] = counts.filter(({ script }) => (script === 'Latn') === isLatin).sort((a, b) => b.count - a.count)
  const script = !isLatin && kana * 20 > other ? 'Jpan' : (most?.script ?? '')
  const detected = pageLanguage([{ prose }])
  const language = languageOfScript[script] ?? (detected && canonicalLanguage(detected.code))
  return { script, language: language !== undefined && scriptOf(language) === script ? language : undefined }
}

/** Without front matter, code, tags and addresses. */
const proseOf = (text: string): string =>
  text
    .replace(/^---\n[\s\S]{0,4000}?\n---\n/, '')
    .replace(/^([ \t]*)(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\2|$(?![\s\S]))/gm, ' ')
    .replace(/`[^`\n]*`|<[^>]{0,500}>|\]\([^)\s]*\)|https?:\S+|^(?:import|export) .*$/gm, ' ')
