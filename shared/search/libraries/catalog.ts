import type { VectorSpace } from '../../ai/embedder.ts'
import type { Library, LibraryId } from '../../library.ts'
import type { FlaggedRule } from '../../snippet.ts'

/** A library in listings and in the search by name. */
export type ListedLibrary = Library & {
  /** Other names: package names from its manifests, import names, short forms. */
  aliases: string[]
  /** The tag or branch of its default content, and the date of that commit, ISO 8601. Absent if unknown. */
  version?: string
  commitDate?: string
  /** SPDX id of the license of its repository. Absent if unknown. */
  codeLicense?: string
  /** Its new id, if its host redirects the old name of its repository. */
  movedTo?: string
  /** The source, as shown to users: `Local (Private)`, `Local`, … */
  source: string
  /** The only teamspace that may see it, '' for none. Absent for a public library. */
  privateTo?: string
  /** True if it came in a bundle, so that it cannot be refreshed. */
  imported?: boolean
}

/** Rules of a teamspace for all libraries, and for the library of an answer. */
export type TeamRules = { global: string[]; library: string[] }

/** The served content of one version of a library. */
export type ServedVersion = {
  library: ListedLibrary
  /** The version; undefined for the default content. */
  version: string | undefined
  /** Name of the generation in the snippet store. */
  generation: string
  /** The tag or branch that was read; empty if unknown. */
  ref: string
  /** The date of its commit, ISO 8601. Absent if unknown. */
  commitDate?: string
  /** The maintainers' guidance from the project file, shown with the documentation. */
  rules: string[]
  /** The rules of the caller's teamspace. Absent if there are none. */
  teamRules?: TeamRules
  /** The rule for flagged snippets. Absent for the default. */
  flagged?: FlaggedRule
  /** The space of its vectors. Absent if it has none. */
  space?: VectorSpace
}

export type Catalog = {
  /** Every library that the search by name may return. `revision` changes with the list. */
  listed(): Promise<{ libraries: ListedLibrary[]; revision: number }>
  /** The content to serve. Throws library_not_found, and tag_not_found with the existing tags. */
  served(id: LibraryId): Promise<ServedVersion>
}
