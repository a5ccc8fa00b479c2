import type { Skipped } from '../../reading/discover/skipped.ts'

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
})
