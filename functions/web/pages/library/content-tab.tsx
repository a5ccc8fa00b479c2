import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { PageBrowser } from '../../../../shared/web/content/page-browser.tsx'
import type { UseChanges, UsePage } from '../../../../shared/web/content/shown-content.ts'
import {
  changesQuery,
  type LibraryDetails,
  type LibraryPath,
  pageListQuery,
  pageSnippetsQuery,
} from '../../api/library-queries.ts'
import type { ChangeSearch, LibrarySearch } from './library-search.ts'
import { NoContent } from './no-content.tsx'

export type ContentTabProps = { path: LibraryPath; library: LibraryDetails; search: LibrarySearch; change: ChangeSearch }

/** The pages of the library and their snippets. */
export function ContentTab({ path, library, search, change }: ContentTabProps) {
  const pages = useQuery({ ...pageListQuery(path, search), enabled: library.state === 'finalized' })
  const usePage: UsePage = ({ version, path: page }) => useInfiniteQuery(pageSnippetsQuery(path, { version, path: page }))
  const useChanges: UseChanges = ({ from, to }) => useQuery(changesQuery(path, { from, to }))
  if (library.state !== 'finalized') return <NoContent library={library} />
  return (
    <PageBrowser
      library={library.id.slice(1)}
      shown={search}
      change={change}
      pages={pages}
      defaultVersion={library.branch || 'default'}
      versions={library.tags}
      usePage={usePage}
      useChanges={useChanges}
    />
  )
}
