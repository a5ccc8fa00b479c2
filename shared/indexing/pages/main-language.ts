import type { PageLanguage } from '../../reading/page-language.ts'

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
/** Languages that Unicode's data has under another code than the detector. */
const otherCodes: Record<string, string> = { zlm: 'ms', fuv: 'ff' }

export type MainLanguage = {
  add(page: PageLanguage | undefined): void
  /** The English name of the language of most prose; undefined if no page has a language. */
  name(): string | undefined
}

/** Counts characters of prose per language. */
export function mainLanguage(): MainLanguage {
  const charsOf = new Map<string, number>()
  return {
    add(page) {
      if (page) charsOf.set(page.code, (charsOf.get(page.code) ?? 0) + page.chars)
    },
    name() {
      const [first] = [...charsOf].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      return first && (names.of(otherCodes[first[0]] ?? first[0]) ?? first[0])
    },
  }
}
