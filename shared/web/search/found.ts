import { formatCount } from '../format.ts'

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
  /** True if its name has the words. */
  named: boolean
  matches: readonly FoundMatch[]
}

/** The result of a search in all libraries. `isCurrent` is false while `libraries` are of an earlier text. */
export type Found = {
  libraries: readonly FoundLibrary[]
  /** Libraries whose text cannot be found yet. */
  pending: number
  isCurrent: boolean
  error: Error | null
}

/** Says that results are missing. Empty if none are. */
export const pendingText = (pending: number): string =>
  pending === 0
    ? ''
    : pending === 1
      ? '1 library is still being indexed. Its pages cannot be found yet.'
      : `${formatCount(pending)} libraries are still being indexed. Their pages cannot be found yet.`

/** Longer texts are cut: no page is found by more words. */
export const maxSearchLength = 200
