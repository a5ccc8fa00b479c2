import type { Snippet } from '../snippet.ts'
import type { LibraryStatistics } from './statistics.ts'

/** A snippet with its place in its generation. */
export type StoredSnippet = Snippet & {
  /** Number of its page in the statistics of the generation. */
  page: number
  /** Number of its section in that page: windows of one section share it. */
  section: number
}

/** A snippet as it is stored: with what ranking reads. */
export type SnippetRow = StoredSnippet & {
  /** Analysed fields in the order of `fieldNames`, the title twice, joined by spaces. */
  terms: string
  /** Number of terms by field. */
  lengths: number[]
  /** Of the generation's model; absent in a generation without vectors. */
  vector?: Float32Array
}

export type WeightedTerm = { term: string; weight: number }

/** One generation of one library's content being written. */
export type GenerationWriter = {
  /** Rows that an interrupted writer of the same generation has left; 0 for a new one. */
  readonly written: number
  add(rows: SnippetRow[]): Promise<void>
  /** Builds the indexes and keeps the statistics; the generation can be searched after it. */
  finish(statistics: Uint8Array): Promise<void>
  /** Leaves nothing of the generation behind. */
  abort(): Promise<void>
}

/** `statistics` and `rows`: reading that part failed. `quarantined` content is not read any more, `unchecked` content not before the next start. */
export type DamagedContent = { generation: string; damage: 'statistics' | 'rows' | 'quarantined' | 'unchecked' }

/** Snippets by generation: a finished generation never changes. */
export type SnippetStore = {
  /** The format that generations are written in. */
  readonly format: number
  /** The format that a generation was written in. Undefined where the generation is gone. */
  formatOf(generation: string): Promise<number | undefined>
  /**
   * Begins a generation, or goes on with one that an interrupted writer has not finished in the same format: its first `written` rows are there. The
   * rows of one generation all have a vector of the same length, or none.
   */
  write(generation: string): Promise<GenerationWriter>
  /**
   * The best rows for any of the terms, best first, at most `limit`, with their vectors where that is asked. Undefined where the generation is
   * gone. A search whose signal aborts while it waits never begins.
   */
  search(
    generation: string,
    terms: WeightedTerm[],
    limit: number,
    options?: { vectors?: boolean; signal?: AbortSignal },
  ): Promise<SnippetRow[] | undefined>
  /** The nearest rows by cosine, nearest first, with their vectors; none where the generation has no vectors of this length. */
  searchVector(
    generation: string,
    vector: Float32Array,
    limit: number,
    options?: { signal?: AbortSignal },
  ): Promise<SnippetRow[] | undefined>
  /** Undefined where the generation is gone. Throws search_failed if its format cannot be read. */
  statistics(generation: string): Promise<LibraryStatistics | undefined>
  /**
   * All snippets in the order they were written, in batches of some hundred, without what was analysed of them. Throws not_found where the
   * generation is gone, also on the way.
   */
  scan(generation: string): AsyncIterable<StoredSnippet[]>
  /** As `scan`, with what was analysed, and with the vectors if they are asked for and exist: what a copy of the generation needs. */
  read(generation: string, options?: { vectors?: boolean }): AsyncIterable<SnippetRow[]>
  /** What a generation was finished with. Undefined where it is gone. */
  packedStatistics(generation: string): Promise<Uint8Array | undefined>
  drop(generation: string): Promise<void>
  /** What is known to be damaged, or may be. */
  damaged(): DamagedContent[]
  generations(): Promise<string[]>
  close(): void
}
