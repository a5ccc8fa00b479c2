/** A run of prose as clean Markdown (no links, images, HTML or JSX), or one block of code, verbatim. */
export type Block =
  | { kind: 'prose'; text: string; line: number }
  | {
      kind: 'code'
      code: string
      language: string
      line: number
      /** Name of a tab or listing, such as `npm` or `app.ts`. */
      label?: string
      /** Adjacent blocks of a group are variants of one example (tabs); chunking keeps them together. */
      group?: number
    }

/** The content below one heading, up to the next heading of any level. */
export type Section = {
  /** The headings from below the page's title down to this one; empty for the content before the first heading. */
  headings: string[]
  /** 1-based line of the heading in the file; 0 if the format has no lines (notebooks, OpenAPI in JSON). */
  line: number
  blocks: Block[]
}

/** The content of one file, in reading order. */
export type Page = {
  /** The title from front matter or the first top heading; if absent, the caller uses the file name. */
  title?: string
  sections: Section[]
}

export type ReaderContext = {
  /** Path of the file in its repository, with `/`. */
  path: string
  /**
   * Text of another file of the same repository, by its path from the root. Undefined if it is absent, not text, too large, or outside the
   * repository. The caller resolves links, so a link that leads out is outside.
   */
  readFile(path: string): string | undefined
}

/** Turns the text of one file into a page. May throw; the caller then skips the file with the error's message as the reason. */
export type Reader = (text: string, context: ReaderContext) => Page | Promise<Page>

/** Paths (from the root of the repository) of the files that a text includes: they are not indexed as separate pages. */
export type FindIncludes = (text: string, context: Pick<ReaderContext, 'path'>) => string[]
