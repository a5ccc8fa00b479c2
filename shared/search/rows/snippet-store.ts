import type { Snippet } from '../../snippet.ts'
import type { LibraryStatistics } from '../statistics/statistics.ts'
import type { Texts } from './texts.ts'

/** A snippet with its place in its generation. */
export type StoredSnippet = Snippet & {
  /** Number of its page in the statistics of the generation. */
  page: number
  /** Number of its section in that page: windows of one section share it. */
  section: number
}

/** A stored snippet with the data for ranking. */
export type SnippetRow = StoredSnippet & {
  /** The analysed fields in the order of `fieldNames`, the title twice, joined by spaces. */
  terms: string
  /** Number of terms by field. */
  lengths: number[]
  /** The vector of its words, from `wordVectorOf`. Absent if no word is known. */
  wordVector?: Int8Array
  /**
   * The number of rows from this one, which has no code, to the nearest window of its section that has code, negative if that is before it. Absent
   * if there is none.
   */
  toCode?: number
  /** An earlier page has the same section. */
  copy?: true
  /** Absent in a generation without vectors. */
  vector?: Float32Array
}

type Numbers = Int32Array<ArrayBuffer>

/** Rows as the columns of a table, which pass between threads without being copied. */
export type PackedRows = {
  length: number
  /** JSON of a row without its terms and vector. */
  row: Texts
  terms: Texts
  path: Texts
  url: Texts
  /** Index in `headings` of the first heading of each row, then the number of headings. */
  breadcrumb: Numbers
  headings: Texts
  page: Numbers
  place: Numbers
  tokens: Numbers
  /** 1 if an earlier page has the same section. */
  copy: Numbers
  /** Absent in a generation without vectors. */
  vectors?: (Float32Array | undefined)[]
}

/** The position of a row in its page, which its id ends with. 0 for an id of another form. */
export const placeInPage = (id: string): number => Number(/-(\d+)$/.exec(id)?.[1] ?? 0)

/** A page of a generation, with the sums of its snippets. */
export type StoredPage = {
  page: number
  path: string
  title: string
  url: string
  /** Paths of other files whose text is on the page. Absent if there are none. */
  includes?: string[]
  snippets: number
  tokens: number
}

export type WeightedTerm = { term: string; weight: number }

/** Writes one generation of a library's content. */
export type GenerationWriter = {
  /** Rows that an interrupted writer of this generation has left; 0 for a new one. */
  readonly written: number
  /** Rows that another thread packed are not copied. */
  add(rows: SnippetRow[] | PackedRows): Promise<void>
  /** Builds the indexes and stores the statistics, and the origins if given. After that the generation can be searched. */
  finish(statistics: Uint8Array, origins?: Uint8Array): Promise<void>
  /** Deletes everything that was written. */
  abort(): Promise<void>
}

/** `statistics`, `rows`: reading that part failed. `quarantined` content is no longer read, `unchecked` content not before the next start. */
export type DamagedContent = { generation: string; damage: 'statistics' | 'rows' | 'quarantined' | 'unchecked' }

/** Snippets by generation: a finished generation never changes. */
export type SnippetStore = {
  /** The format of new generations. */
  readonly format: number
  /** The format of a generation. Undefined if it is gone. */
  formatOf(generation: string): Promise<number | undefined>
  /**
   * Starts a generation, or resumes one that an interrupted writer left in the same format, with its first `written` rows. The rows of a generation
   * either all have vectors of one length, or have none.
   */
  write(generation: string): Promise<GenerationWriter>
  /**
   * The best rows for any of the terms, best first, at most `limit`, with vectors on request, on request without the copies of sections of earlier
   * pages. Undefined if the generation is gone. A search whose signal aborts while it waits never starts.
   */
  search(
    generation: string,
    terms: WeightedTerm[],
    limit: number,
    options?: { vectors?: boolean; withoutCopies?: boolean; signal?: AbortSignal },
  ): Promise<SnippetRow[] | undefined>
  /** The nearest rows by cosine, nearest first, with their vectors. Empty if the generation has no vectors of this length. */
  searchVector(
    generation: string,
    vector: Float32Array,
    limit: number,
    options?: { withoutCopies?: boolean; signal?: AbortSignal },
  ): Promise<SnippetRow[] | undefined>
  /** Returns undefined if the generation is gone. Throws search_failed if its format cannot be read. */
  statistics(generation: string): Promise<LibraryStatistics | undefined>
  /**
   * All snippets in the order of writing, in batches of several hundred, without ranking data. Throws not_found if the generation is gone, also
   * during the scan.
   */
  scan(generation: string): AsyncIterable<StoredSnippet[]>
  /** `scan` with ranking data, and vectors on request: everything that a copy of the generation needs. */
  read(generation: string, options?: { vectors?: boolean }): AsyncIterable<SnippetRow[]>
  /** All pages in the order of writing. Undefined if the generation is gone. */
  pages(generation: string): Promise<StoredPage[] | undefined>
  /** The snippets of a page in its order, at most `limit` after the first `offset`. Undefined if the generation is gone. */
  pageSnippets(generation: string, page: number, range: { offset: number; limit: number }): Promise<StoredSnippet[] | undefined>
  /** The snippets that may attack agents, at most `limit` after the first `offset`, and how many there are. Undefined if the generation is gone. */
  flagged(
    generation: string,
    range: { offset: number; limit: number },
  ): Promise<{ snippets: StoredSnippet[]; total: number } | undefined>
  /** The bytes that were passed to `finish`. Undefined if the generation is gone. */
  packedStatistics(generation: string): Promise<Uint8Array | undefined>
  /** The files that the pages were read from, as passed to `finish`. Undefined without them, or if the generation is gone. */
  origins(generation: string): Promise<Uint8Array | undefined>
  drop(generation: string): Promise<void>
  /** Content that is or may be damaged. */
  damaged(): DamagedContent[]
  /** True if the files of a generation are as they were written. Undefined if the store cannot tell without reading them. */
  isIntact?(generation: string): Promise<boolean>
  generations(): Promise<string[]>
  close(): void
}
