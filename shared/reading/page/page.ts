/** Where a text stands. */
export type Origin = {
  /** 1-based line of its file; 0 if the format has no lines (notebooks). */
  line: number
  /** 1-based last line, of a declaration in code. */
  endLine?: number
  /** Path of the file if it is not the page's own, from the root of the repository: an include, or a part of an OpenAPI document. */
  file?: string
}

/** A run of prose as clean Markdown (no links, images, HTML or JSX), or one block of code, verbatim. */
export type Block = Origin &
  (
    | { kind: 'prose'; text: string }
    | {
        kind: 'code'
        code: string
        language: string
        /** Name of a tab or listing, such as `npm` or `app.ts`. */
        label?: string
        /** Adjacent blocks of a group are variants of one example (tabs); chunking keeps them together. */
        group?: number
      }
  )

/** The content below one heading, up to the next heading of any level. */
export type Section = Origin & {
  /** The headings from below the page's title down to this one; empty for the content before the first heading. */
  headings: string[]
  blocks: Block[]
}

/** The content of one file, in reading order. */
export type Page = {
  /** The title from front matter or the first top heading; if absent, the caller uses the file name. */
  title?: string
  sections: Section[]
  /** The part that could not be read, as a sentence for the report. */
  omitted?: string
}

export type ReaderContext = {
  /** Path of the file in its repository, with `/`. */
  path: string
  /**
   * Text of another file of the same repository, by its path from the root. Undefined if it is absent, not text, too large, or outside the
   * repository. The caller resolves links, so a link that leads out is outside.
   */
  readFile(path: string): string | undefined
  /** A thread of the server reads the page: `NeedsProcess` has the separate process read it. */
  isInThread?: boolean | undefined
  /** Paths of the other files of the page: those of a Go package. */
  parts?: readonly string[] | undefined
  /** The path of the one Markdown document whose path ends with the given one; undefined if there are several, or none. */
  findDocument?(ending: string): string | undefined
  /**
   * Returns what `parse` makes of the text of another file, kept under the given name while files of the same clone are read. Undefined without that
   * file.
   */
  readOnce?<T>(path: string, name: string, parse: (text: string) => Promise<T>): Promise<T | undefined>
}

/** Turns the text of one file into a page. May throw; the caller then skips the file with the error's message as the reason. */
export type Reader = (text: string, context: ReaderContext) => Page | Promise<Page>

/** Paths (from the root of the repository) of the files that a text includes: they are not indexed as separate pages. */
export type FindIncludes<Needed extends keyof ReaderContext = 'path'> = (
  text: string,
  context: Pick<ReaderContext, Needed>,
) => string[]
