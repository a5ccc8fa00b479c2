/** Regions in which a language is written, other than the one in which most of its speakers live. */
const moreRegions: Record<string, string> = {
  ar: 'AE SA',
  de: 'AT CH',
  en: 'AU CA GB IE IN NZ',
  es: '419 AR CL CO LA MX PE',
  fr: 'BE CA CH',
  nl: 'BE',
  pt: 'PT',
  sr: 'ME',
  zh: 'HK MO SG TW',
}
const scripts: Record<string, string> = { az: 'Latn', sr: 'Cyrl Latn', uz: 'Cyrl Latn', zh: 'Hans Hant' }

const languages = new Set(
  'ar az be bg bn bs ca cs da de el en eo es et eu fa fi fil fr gl gu he hi hr hu hy id is it ja ka kk km kn ko ky lt lv mk ml mn mr ms my nb ne nl nn no pa pl ps pt ro ru si sk sl sq sr sv sw ta te tg th tl tr ug uk ur uz vi zh'.split(
    ' ',
  ),
)
/** Languages whose codes are seldom the name of anything else. */
const clearLanguages = new Set('de en es fr ja ko pt ru uk zh'.split(' '))
/** Codes of countries and other short forms that folders of translations are named after. */
const aliases: Record<string, string> = {
  ...{ br: 'pt-BR', chs: 'zh-Hans', cht: 'zh-Hant', cn: 'zh-CN', cz: 'cs', jp: 'ja', kr: 'ko', tw: 'zh-TW', ua: 'uk', vn: 'vi' },
  ...{ deu: 'de', eng: 'en', fra: 'fr', jpn: 'ja', kor: 'ko', por: 'pt', rus: 'ru', spa: 'es', zho: 'zh' },
}

/** `isClear` is false if the name has other common meanings: `it`, `id`, `cs`. */
export type LanguageName = { code: string; isClear: boolean }

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
const byEnglishName = new Map(
  [...languages].flatMap((code) => (names.of(code) ? [[names.of(code)?.toLowerCase() ?? '', code]] : [])) as [string, string][],
)
const byName = new Map<string, LanguageName | undefined>()
const maxNames = 10_000
const startsWithLetter = /^[a-z]/i

/** The language that a folder or a part of a file name may stand for: `de`, `zh_CN`, `jp`, `german`. */
export function languageOfName(name: string): LanguageName | undefined {
  if (name.length > 12 || name.length < 2 || !startsWithLetter.test(name)) return undefined
  if (!byName.has(name)) {
    if (byName.size >= maxNames) byName.clear()
    byName.set(name, readName(name.toLowerCase().replaceAll('_', '-')))
  }
  return byName.get(name)
}

function readName(name: string): LanguageName | undefined {
  const alias = aliases[name] ?? byEnglishName.get(name)
  if (alias !== undefined) return { code: alias, isClear: false }
  const [, language = '', ...parts] = /^([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?$/.exec(name) ?? []
  if (!languages.has(language)) return undefined
  const code = canonicalLanguage(name) ?? language
  const [script, region] = parts.map((part) => part?.toLowerCase())
  if (script !== undefined && !listed(scripts[language], script)) return undefined
  if (region !== undefined && !isRegionOf(language, region)) return undefined
  return { code, isClear: script !== undefined || region !== undefined || clearLanguages.has(language) }
}

const isRegionOf = (language: string, region: string): boolean =>
  new Intl.Locale(language).maximize().region?.toLowerCase() === region || listed(moreRegions[language], region)

const listed = (all = '', one: string): boolean => all.toLowerCase().split(' ').includes(one)

/** A language tag in its usual spelling, for any spelling (`zh_cn`, `pt-br`, `deu`). Undefined if it is no language tag. */
export function canonicalLanguage(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'))[0]
  } catch {
    return undefined
  }
}

/** `German (de)`; only the tag if it has no name. */
export function shownLanguage(code: string): string {
  const name = names.of(code)
  return name === undefined || name === code ? code : `${name} (${code})`
}

/** `zh` of `zh-Hant-TW`. */
export const primaryLanguage = (code: string): string => code.split('-')[0] ?? code

/** `en` for `en-US`; `zh-TW` and `pt-PT` stay. */
export const shortLanguage = (code: string): string => new Intl.Locale(code).minimize().toString()

/** The existing languages that a requested one names: `zh` names `zh-CN` and `zh-TW`, `zh-TW` also `zh-Hant`, else `zh`. */
export function matchingLanguages(requested: string, existing: readonly string[]): string[] {
  const code = canonicalLanguage(requested)
  if (code === undefined) return []
  const primary = primaryLanguage(code)
  const related = existing.filter((each) => primaryLanguage(each) === primary)
  if (code === primary) return related
  if (related.includes(code)) return [code]
  const sameScript = related.filter((each) => scriptOf(each) === scriptOf(code))
  return sameScript.length > 0 ? sameScript : related.filter((each) => each === primary)
}

/** `Hant` for `zh-TW`. */
const scriptOf = (code: string): string | undefined => new Intl.Locale(code).maximize().script
