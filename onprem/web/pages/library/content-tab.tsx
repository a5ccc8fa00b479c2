import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PageBrowser } from '../../../../shared/web/content/page-browser.tsx'
import type { ShownContent, UseChanges, UsePage } from '../../../../shared/web/content/shown-content.ts'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import type { LibraryItem } from '../../api/library-query.ts'
import { changesQuery, pageListQuery, pageSnippetsQuery } from '../../api/page-list-query.ts'
import { ownWords } from '../libraries/own-words.ts'

const from = '/signed-in/frame/libraries/$'

/** The pages of the library and their snippets. */
export function ContentTab({ library }: { library: LibraryItem }) {
  const search = useSearch({ from })
  const navigate = useNavigate({ from: '/libraries/$' })
  const change = (changes: Partial<ShownContent>) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: 'q' in changes })
  const id = library.id.slice(1)
  const pages = useQuery({ ...pageListQuery(id, search), enabled: library.state === 'finalized' })
  if (library.state !== 'finalized')
    return (
      <EmptyState picture="shelf" title={library.state === 'error' ? 'The library could not be added' : 'No content yet'}>
        <MessageText>{ownWords(library) ?? 'The content appears here when its job has ended.'}</MessageText>
      </EmptyState>
    )
  return (
    <PageBrowser
      library={id}
      shown={search}
      change={change}
      pages={pages}
      defaultVersion={library.branch || 'Default'}
      versions={library.versions}
      usePage={usePage}
      useChanges={useChanges}
    />
  )
}

const usePage: UsePage = ({ library, ...page }) => useInfiniteQuery(pageSnippetsQuery(library, page))

const useChanges: UseChanges = ({ library, ...versions }) => useQuery(changesQuery(library, versions))
