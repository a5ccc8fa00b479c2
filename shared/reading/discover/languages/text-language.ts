import { canonicalLanguage, primaryLanguage } from '../../../text/language-codes.ts'
import { pageLanguage } from './page-language.ts'

/** The beginning of a document, undefined if it cannot be read. */
export type ReadStart = (path: string) => string | undefined

/** `script` is the Unicode script of most letters; `language` is unknown for short texts in Latin letters. */
type TextLanguage = { script: string; language: string | undefined }

const maxFiles = 4
const minLetters = 8
/** Letters by the code of their script in language tags. */
const lettersOf: [script: string, letters: RegExp][] = [
  ['Latn', /\p{Script=Latin}/gu],
  ['Hani', /\p{Script=Han}/gu],
  ['Jpan', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['Kore', /\p{Script=Hangul}/gu],
  ['Cyrl', /\p{Script=Cyrillic}/gu],
  ['Arab', /\p{Script=Arabic}/gu],
  ['Deva', /\p{Script=Devanagari}/gu],
  ['Thai', /\p{Script=Thai}/gu],
  ['Hebr', /\p{Script=Hebrew}/gu],
  ['Grek', /\p{Script=Greek}/gu],
  ['Beng', /\p{Script=Bengali}/gu],
  ['Taml', /\p{Script=Tamil}/gu],
  ['Telu', /\p{Script=Telugu}/gu],
  ['Geor', /\p{Script=Georgian}/gu],
  ['Armn', /\p{Script=Armenian}/gu],
]
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
  const counts = lettersOf.map(([script, letters]) => ({ script, count: prose.match(letters)?.length ?? 0 }))
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  if (total < minLetters) return undefined
  const countOf = (wanted: string) => counts.find(({ script }) => script === wanted)?.count ?? 0
  // Words of programs are in Latin letters in any text.
  const other = total - countOf('Latn')
  const isLatin = other * 6 < total
  const [most] = counts.filter(({ script }) => (script === 'Latn') === isLatin).sort((a, b) => b.count - a.count)
  const script = !isLatin && countOf('Jpan') * 20 > other ? 'Jpan' : (most?.script ?? '')
  const detected = pageLanguage([{ prose }])
  const language = languageOfScript[script] ?? (detected && canonicalLanguage(detected.code))
  return { script, language: language !== undefined && scriptOf(language) === script ? language : undefined }
}

/** Without front matter, code, tags and addresses. */
function proseOf(text: string): string {
  const lines = text.split('\n')
  const end = lines[0]?.trimEnd() === '---' ? lines.indexOf('---', 1) : -1
  let isCode = false
  const prose = lines.slice(end + 1).filter((line) => {
    const start = line.trimStart()
    const isFence = start.startsWith('```') || start.startsWith('~~~')
    if (isFence) isCode = !isCode
    return !isFence && !isCode && !start.startsWith('import ') && !start.startsWith('export ')
  })
  return prose.join('\n').replace(/`[^`\n]*`|<[^<>]*>|\]\([^()\s]*\)|https?:\S+/g, ' ')
}
