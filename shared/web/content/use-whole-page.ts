import { useEffect } from 'react'
import type { ReadPage, UsePage } from './shown-content.ts'

/** Longer pages are read on request: a megabyte of text has some 800 snippets. */
const maxSnippets = 2_000

type WholePage = {
  parts: ReturnType<UsePage>
  /** Its facts. Undefined while nothing was read. */
  page: ReadPage | undefined
  /** True if the rest is read on request. */
  hasRest: boolean
  /** True if all of it was read, or as much as is read without a request. */
  isRead: boolean
}

/** Reads all parts of a page, one after the other. */
export function useWholePage(usePage: UsePage, wanted: Parameters<UsePage>[0]): WholePage {
  const parts = usePage(wanted)
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = parts
  const loaded = parts.data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0
  const waits = loaded >= maxSnippets || isFetchNextPageError
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !waits) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, waits, fetchNextPage])
  return {
    parts,
    page: parts.data?.pages[0],
    hasRest: hasNextPage && waits,
    isRead: parts.data !== undefined && (!hasNextPage || waits),
  }
}
