import type { VectorSpace } from '../ai/embedder.ts'
import type { RefreshSchedule } from '../freshness/refresh-schedule.ts'
import type { TagRule } from '../freshness/tag-rule.ts'
import type { LibraryId } from '../library.ts'
import type { Selection } from '../reading/discover/selection.ts'
import type { RepositoryState } from '../reading/git/repository-facts.ts'
import type { FlaggedRule } from '../snippet.ts'
import type { OtherSource } from '../sources/other-source.ts'

/** The settings for fetching a library again. */
export type SourceSettings = Selection & {
  /** Absent for a git repository. */
  source?: OtherSource | undefined
  branch?: string
  /** Branch or tag with the folder below it, from the address. The first job replaces it by `branch` and `folders`. */
  tree?: string | undefined
  versions?: string[]
  /** True if documentation is generated when there is little of it. */
  generateDocs?: boolean
  /** True if an API reference is read from source files. */
  apiReference?: boolean
  /** Tags and branches that the project file of the default content names. */
  named?: string[]
  /** Which tags become versions without being named; absent if none do. */
  tagRule?: TagRule
  /** The tags that became versions by the rule, and expire by it. */
  byRule?: string[]
  /** When the library is compared with its repository; absent for the default of the install. */
  schedule?: RefreshSchedule
  /** The rule for flagged snippets; absent for the default. */
  flagged?: FlaggedRule
  /** Deleted versions: a project file does not restore them, a parse that requests them does. */
  unwanted?: string[]
  /** The branch that the project file of the default branch names, and the commit of the default branch that says so. */
  projectBranch?: { name: string; namedBy: string }
  /** Versions that were read with other settings than these. */
  outdated?: string[]
  /** The settings that the last refresh has applied, if a caller has changed them since. */
  applied?: Selection & Pick<SourceSettings, 'branch'>
}

/** The facts about a library that a finished job stores. */
export type LibraryFacts = {
  id: string
  title: string
  description: string
  branch: string
  sourceUrl: string
  private: boolean
  aliases: string[]
  settings: SourceSettings
  /** True if a language model wrote part of the default content. */
  generated?: boolean
  /** -1 or absent if unknown. */
  stars?: number
  /** It came in a bundle and cannot be fetched again. */
  imported?: boolean
  /** The facts of its repository. If absent, those of before stay. */
  repository?: RepositoryState
}

/** A library of the catalog. */
export type StoredLibrary = Pick<
  LibraryFacts,
  'id' | 'title' | 'description' | 'branch' | 'aliases' | 'generated' | 'repository'
> & {
  imported: boolean
}

/** A generation that is ready to be served, as a version. */
export type NewVersion = {
  /** '' for the default content. */
  version: string
  ref: string
  generation: string
  commit: string
  /** ISO 8601; absent if unknown. */
  commitDate?: string | undefined
  tokens: number
  snippets: number
  /** Those of `snippets` that hold code. */
  codeSnippets: number
  rules: string[]
  /** English name of the language of most prose; absent if unknown. */
  language?: string | undefined
  /** The programming language of most code; absent if unknown. */
  codeLanguage?: string | undefined
  /** Space of its vectors; absent if it has none. */
  space?: VectorSpace
  /** Format of its generation. */
  format: number
}

export type StoredVersion = NewVersion & { updatedAt: string }

/** A version, and the generation that it serves. */
export type ServedGeneration = Pick<StoredVersion, 'version' | 'generation'>

type Awaitable<T> = T | Promise<T>

/** The part of a catalog that indexing reads and changes. */
export type IndexingCatalog = {
  find(id: LibraryId): Awaitable<StoredLibrary | undefined>
  settings(id: LibraryId): Awaitable<SourceSettings>
  versions(id: LibraryId): Awaitable<StoredVersion[]>
  /** Registers a generation before a job writes it, if known with the version that will serve it. A job may repeat this. */
  reserve(generation: string, job: JobId, version?: string): Awaitable<void>
  /** Protects a generation from the sweep until `work` ends, even if its job ends earlier. */
  hold(generation: string, work: Promise<unknown>): void
  /**
   * Switches the library to new content in one write and retires the old content. Removes the `removed` versions in the same write, unless they
   * serve another generation by then.
   */
  publish(facts: LibraryFacts, versions: NewVersion[], removed?: ServedGeneration[]): Awaitable<void>
}

/** The part of a catalog that the sweep needs. */
export type SweptCatalog = {
  /** The stored or reserved generations that may be deleted: retired before the given time, or neither of a running job nor held. */
  unowned(stored: string[], retiredBefore: Date): Awaitable<string[]>
  forget(generation: string): Awaitable<void>
}

export type JobId = string | number
