/** A place in a library that has the words of a search. `marks` are the words in `text`: their first character and the one after their last. */
export type FoundMatch = {
  kind: 'page' | 'heading' | 'text'
  path: string
  /** The title of the page. */
  title: string
  section?: string | undefined
  /** The heading in the address of the page. */
  anchor?: string | undefined
  text: string
  marks: readonly (readonly number[])[]
}

export type FoundLibrary = {
  id: string
  title: string
  description?: string | undefined
  matches: readonly FoundMatch[]
}

/** The result of a search in all libraries. `isCurrent` is false while `libraries` are of an earlier text. */
export type Found = {
  libraries: readonly FoundLibrary[]
  isCurrent: boolean
  error: Error | null
}

/** Longer texts are cut: no page is found by more words. */
export const maxSearchLength = 200
