import { hash } from 'node:crypto'

export type CodeEntry = { language: string; code: string }

/** Limits the language of a code block, which may be any text in Markdown and bundles. */
export const shortLanguage = (language: string): string => language.slice(0, 50)

/** The entries with code, with a limited length of the language. */
export const shortCode = (code: CodeEntry[]): CodeEntry[] =>
  code.flatMap((each) => (each.code.trim() === '' ? [] : [{ language: shortLanguage(each.language), code: each.code }]))

/** Kinds of texts that are flagged: instructions to an agent, an encoded or hidden one, a command or link that deceives. */
export const flagKinds = ['instruction', 'encoded', 'hidden', 'command', 'link'] as const
export type FlagKind = (typeof flagKinds)[number]

/** The reason why a snippet may attack the agent that reads it. */
export type Flag = {
  kinds: FlagKind[]
  reason: string
  /** People who read the page do not see it: it is hidden or encoded. */
  concealed?: true
}

/** Rules for flagged snippets: answers serve them like others, mark them, or leave them out. */
export const flaggedRules = ['serve', 'mark', 'withhold'] as const
export type FlaggedRule = (typeof flaggedRules)[number]

/**
 * A chunk as it is stored, ranked and served: a section of a page or a window of it, prose and code together.
 * It is served as a code snippet if it contains code, else as an info snippet.
 */
export type Snippet = {
  /** Unique in its generation. */
  id: string
  /** `[page title … heading]`. */
  breadcrumb: string[]
  /** The complete Markdown in its original order, for text answers and bundles. */
  content: string
  code: CodeEntry[]
  /** Path of the file in its repository. */
  path: string
  /** The page for readers: the blob URL at the parsed commit, with `#L` if the line is known. */
  url: string
  /** The subject: the section, or the title of the page if the section is generic. */
  topic: string
  /** Number of tokens of `content`. */
  tokens: number
  /** Hash of the heading and `content`. Snippets with equal hashes are copies: an answer shows one of them. */
  hash: string
  /** Code of the language of its documentation, such as `de`. Absent if the documentation has one language. */
  docsLanguage?: string
  /** Addresses of other pages with the same section. */
  alsoOn?: string[]
  /** Path of the page that includes the text, if `path` is another file. */
  includedBy?: string
  flag?: Flag
}

/** The fields of a snippet that most snippets lack. */
export const optionalFields = ({ docsLanguage, alsoOn, includedBy, flag }: OptionalFields): OptionalFields => ({
  ...(docsLanguage && { docsLanguage }),
  ...(alsoOn && alsoOn.length > 0 && { alsoOn }),
  ...(includedBy && { includedBy }),
  ...(flag && { flag }),
})
type OptionalFields = Pick<Snippet, 'docsLanguage' | 'alsoOn' | 'includedBy' | 'flag'>

export const snippetHash = ({ breadcrumb, content }: Pick<Snippet, 'breadcrumb' | 'content'>): string =>
  hash('sha256', `${breadcrumb.at(-1)}\n${content}`, 'hex').slice(0, 32)

export const isCode = (snippet: Pick<Snippet, 'code'>): boolean => snippet.code.length > 0
/** The path of the page that a snippet belongs to. */
export const pagePathOf = ({ path, includedBy }: Pick<Snippet, 'path' | 'includedBy'>): string => includedBy ?? path
export const titleOf = (snippet: Pick<Snippet, 'breadcrumb'>): string => snippet.breadcrumb.at(-1) ?? 'Documentation'
export const pageTitleOf = (snippet: Pick<Snippet, 'breadcrumb'>): string => snippet.breadcrumb[0] ?? ''

/** The prose of a snippet: its content without the fenced blocks. */
export function proseOf(snippet: Pick<Snippet, 'content'>): string {
  const prose: string[] = []
  let open: string | undefined
  for (const line of snippet.content.split('\n')) {
    const ticks = /^(`{3,})/.exec(line)?.[1]
    if (open === undefined && ticks !== undefined) open = ticks
    else if (open !== undefined && line === open) open = undefined
    else if (open === undefined) prose.push(line)
  }
  return prose
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
