import type { VectorSpace } from '../ai/embedder.ts'
import type { Library, LibraryId } from '../library.ts'

/** A library as listings and the name search see it. */
export type ListedLibrary = Library & {
  /** Other names it goes by: package names from its manifests, import names, short forms. */
  aliases: string[]
  /** Where it comes from, for people: `Local (Private)`, `Local`, … */
  source: string
  /** The teamspace that alone may know of it, '' where it is nobody's; absent for what is everybody's. */
  privateTo?: string
}

/** What answers for one version of a library. */
export type ServedVersion = {
  library: ListedLibrary
  /** Undefined for the default content. */
  version: string | undefined
  /** Name of the generation in the snippet store. */
  generation: string
  /** The owner's guidance from the project file, shown with the documentation. */
  rules: string[]
  /** What its vectors may be compared with; absent where it has none. */
  space?: VectorSpace
}

export type Catalog = {
  /** Every library that the name search may answer; `revision` changes whenever the list does. */
  listed(): Promise<{ libraries: ListedLibrary[]; revision: number }>
  /** The content to answer from. Throws library_not_found, tag_not_found (listing the tags). */
  served(id: LibraryId): Promise<ServedVersion>
}
