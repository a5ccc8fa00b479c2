import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { LibraryPage } from './page-labels.ts'
import type { ReadSnippet } from './passages.ts'

/**
 * The shown part of a library: empty texts for the version served by default, the overview and all pages. With `snippets`, the reader shows where
 * they begin and end; with `raw`, their Markdown. `compare` is the version that the shown one is compared with.
 */
export type ShownContent = {
  version: string
  page: string
  q: string
  snippets: boolean
  raw: boolean
  compare?: string | undefined
}
export type ChangeContent = (changes: Partial<ShownContent>) => void

export type PageLink = { path: string; title: string }

/** A page with some of its snippets, and its neighbours in reading order. */
export type ReadPage = LibraryPage & {
  url: string
  items: readonly ReadSnippet[]
  previous?: PageLink | undefined
  next?: PageLink | undefined
}

/** A hook that reads a page with its snippets, some at a time. */
export type UsePage = (page: {
  /** The id without its first slash. */
  library: string
  version: string
  path: string
}) => UseInfiniteQueryResult<InfiniteData<ReadPage>>

export type PageChange = { path: string; title: string; change: 'added' | 'removed' | 'changed' }

/** A hook that lists the first pages that differ between two versions of a library. */
export type UseChanges = (versions: { library: string; from: string; to: string }) => UseQueryResult<{
  changes: readonly PageChange[]
  added: number
  removed: number
  changed: number
  unchanged: number
}>
