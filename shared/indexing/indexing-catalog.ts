import type { VectorSpace } from '../ai/embedder.ts'
import type { LibraryId } from '../library.ts'
import type { Selection } from '../reading/discover/selection.ts'

/** How a library is fetched again. */
export type SourceSettings = Selection & {
  branch?: string
  versions?: string[]
  /** Whether documentation is generated where there is little of it. */
  generateDocs?: boolean
  /** Tags and branches that the project file of the default content names. */
  named?: string[]
  /** Versions that were deleted: a project file does not bring them back, a parse that asks for them does. */
  unwanted?: string[]
  /** Versions whose content was read with other settings than these. */
  outdated?: string[]
}

/** What a finished job knows of a library. */
export type LibraryFacts = {
  id: string
  title: string
  description: string
  branch: string
  sourceUrl: string
  private: boolean
  aliases: string[]
  settings: SourceSettings
  /** Whether the default content holds documentation that a language model has written. */
  generated?: boolean
  /** -1 or absent where unknown. */
  stars?: number
  /** It came in a bundle: nothing here can fetch it again. */
  imported?: boolean
}

/** A library that is there already. */
export type StoredLibrary = Pick<LibraryFacts, 'id' | 'title' | 'description' | 'branch' | 'aliases' | 'generated'> & {
  imported: boolean
}

/** One generation that is ready to be served. */
export type NewVersion = {
  /** '' for the default content. */
  version: string
  ref: string
  generation: string
  commit: string
  tokens: number
  snippets: number
  /** Those of `snippets` that hold code; absent for content that was written before they were counted. */
  codeSnippets?: number
  rules: string[]
  /** In which people wrote most of it, by its English name; absent if that is not known. */
  language?: string | undefined
  /** Of its vectors; absent where it has none. */
  space?: VectorSpace
  /** The format that its generation was written in; absent: 1. */
  format?: number
}

export type StoredVersion = NewVersion & { updatedAt: string }

type Awaitable<T> = T | Promise<T>

/** What a parse reads and changes in a catalog. */
export type IndexingCatalog = {
  find(id: LibraryId): Awaitable<StoredLibrary | undefined>
  settings(id: LibraryId): Awaitable<SourceSettings>
  versions(id: LibraryId): Awaitable<StoredVersion[]>
  /** Names a generation before it is written, for the job that writes it and, if it is known, the version that will serve it; a job may do so again. */
  reserve(generation: string, job: JobId, version?: string): Awaitable<void>
  /** Keeps a generation from being swept until the work ends, whatever becomes of its job meanwhile. */
  hold(generation: string, work: Promise<unknown>): void
  /** Switches the library to new content in one write; what was served before is retired. */
  publish(facts: LibraryFacts, versions: NewVersion[]): Awaitable<void>
}

/** What the sweep asks a catalog. */
export type SweptCatalog = {
  /** Generations that may be deleted, of those that a store holds or that were reserved: retired before the time, or of no running job and not held. */
  unowned(stored: string[], retiredBefore: Date): Awaitable<string[]>
  forget(generation: string): Awaitable<void>
}

export type JobId = string | number
