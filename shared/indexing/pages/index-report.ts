import type { DocumentLanguages } from '../../reading/discover/languages/choose-languages.ts'
import type { PageLanguage } from '../../reading/discover/languages/page-language.ts'
import type { Skipped } from '../../reading/discover/skipped.ts'
import type { ModuleAliases } from '../../reading/module-aliases.ts'

/** The figures of one indexed version. */
export type IndexReport = {
  filesRead: number
  /** Files that have not changed since the earlier generation. */
  filesKept: number
  skipped: Skipped[]
  snippets: number
  /** Those of `snippets` that hold code. */
  codeSnippets: number
  tokens: number
  /** Snippets that a language model gave a title or a description. */
  enriched: number
  /** Snippets that a language model wrote from source files. */
  generated: number
  /** English name of the language of most prose; undefined if there is too little prose to tell. */
  language: string | undefined
  /** The programming language of most code. */
  codeLanguage: string | undefined
  /** The languages of the documentation. */
  languages: DocumentLanguages
  imports: ModuleAliases
}

export const emptyReport = (): IndexReport => ({
  filesRead: 0,
  filesKept: 0,
  skipped: [],
  snippets: 0,
  codeSnippets: 0,
  tokens: 0,
  enriched: 0,
  generated: 0,
  language: undefined,
  codeLanguage: undefined,
  languages: { existing: [], read: [], missing: [] },
  imports: new Map(),
})

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

/** The progress that indexing reports. */
export type IndexProgress = {
  filesFound(files: number): void
  /** A reader has these files until they are `handedBack`: if the server crashes meanwhile, one of them may be the cause. */
  handedOut(paths: string[]): void
  handedBack(paths: string[]): void
  /** One more file is done; `snippets` is the total so far. */
  read(snippets: number): void
  /** All files are read; the given suspects could not be read safely. */
  allRead(suspects: string[]): void
  /** The search indexes are being built. */
  indexing(): void
}
