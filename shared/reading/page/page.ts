/** A run of prose as clean Markdown (no links, images, HTML or JSX), or one block of code, verbatim. */
export type Block =
  | { kind: 'prose'; text: string; line: number }
  | {
      kind: 'code'
      code: string
      language: string
      line: number
      /** What a tab or a listing is called, e.g. `npm` or `app.ts`. */
      label?: string
      /** Adjacent blocks of one group are variants of one example (tabs): cutting keeps them together. */
      group?: number
    }

/** What stands under one heading, up to the next heading of any level. */
export type Section = {
  /** Headings above and including this one, below the page's title; empty for what stands before the first heading. */
  headings: string[]
  /** 1-based line of the heading in the file, 0 where a line means nothing (notebooks, OpenAPI in JSON). */
  line: number
  blocks: Block[]
}

/** What a reader makes of one file, in reading order. */
export type Page = {
  /** From front matter or the first top heading; the caller falls back to the file's name. */
  title?: string
  sections: Section[]
}

export type ReaderContext = {
  /** Path of the file in its repository, with `/`. */
  path: string
  /**
   * Text of another file of the same repository, by its path from the root, or undefined where it is absent, not text,
   * too large or lies outside (links are resolved by the caller, so a link that leaves the repository is outside).
   */
  readFile(path: string): string | undefined
}

/** Turns the text of one file into a page. May throw: the caller skips the file with the error's message as its reason. */
export type Reader = (text: string, context: ReaderContext) => Page | Promise<Page>

/** Paths (from the root of the repository) of the files that a text takes into itself: they are not indexed on their own. */
export type FindIncludes = (text: string, context: Pick<ReaderContext, 'path'>) => string[]
