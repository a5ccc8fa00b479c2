import { Button, NativeSelect, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import type { LibraryItem } from '../../api/library-query.ts'
import { type LibraryPage, pageListQuery, pageSnippetsQuery } from '../../api/page-list-query.ts'
import styles from './library-page.module.css'
import type { LibrarySearch } from './library-search.ts'
import { PageTree } from './page-tree.tsx'
import { SnippetCard } from './snippet-card.tsx'

const from = '/signed-in/frame/libraries/$'

/** The pages of the library on the left, the snippets of the chosen one on the right. */
export function ContentTab({ library }: { library: LibraryItem }) {
  const search = useSearch({ from })
  const navigate = useNavigate({ from: '/libraries/$' })
  const change = (changes: Partial<LibrarySearch>) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: 'q' in changes })
  const id = library.id.slice(1)
  const list = useQuery({ ...pageListQuery(id, search), enabled: library.state === 'finalized' })
  const filter = useDebouncedCallback((q: string) => change({ q }), 200)
  if (library.state !== 'finalized')
    return (
      <EmptyState title={library.state === 'error' ? 'The first parse failed' : 'No content yet'}>
        {library.statusMessage ?? 'The content appears here when its job has ended.'}
      </EmptyState>
    )
  if (list.isLoadingError)
    return <ErrorState error={list.error} what="The pages cannot be loaded" retry={() => void list.refetch()} />
  const chosen = list.data?.pages.find(({ path }) => path === search.path) ?? list.data?.pages[0]
  return (
    <div className={styles.content}>
      <Stack gap="xs" className={styles.pages}>
        {library.versions.length > 0 && (
          <NativeSelect
            aria-label="Version"
            data={[{ value: '', label: `${library.branch || 'default'} (latest)` }, ...library.versions]}
            value={search.version}
            onChange={(event) => change({ version: event.currentTarget.value, path: '' })}
          />
        )}
        <TextInput
          aria-label="Filter pages"
          placeholder="Filter pages"
          leftSection={<Search size={16} aria-hidden />}
          defaultValue={search.q}
          onChange={(event) => filter(event.currentTarget.value)}
        />
        {list.data ? (
          <PageTree pages={list.data.pages} chosen={chosen?.path} choose={(path) => change({ path })} />
        ) : (
          <Skeleton height={240} />
        )}
        {list.data && list.data.total > list.data.pages.length && (
          <Text size="xs" c="dimmed">
            The first {countOf(list.data.pages.length, 'page')} of {countOf(list.data.total, 'page')}. Filter to see others.
          </Text>
        )}
        {list.data?.total === 0 && (
          <Text size="sm" c="dimmed">
            No page matches.
          </Text>
        )}
      </Stack>
      {chosen && <Snippets key={chosen.path} id={id} page={chosen} search={search} change={change} />}
    </div>
  )
}

type SnippetsProps = { id: string; page: LibraryPage; search: LibrarySearch; change: (changes: Partial<LibrarySearch>) => void }

function Snippets({ id, page, search, change }: SnippetsProps) {
  const snippets = useInfiniteQuery(pageSnippetsQuery(id, { version: search.version, path: page.path }))
  if (snippets.isLoadingError)
    return <ErrorState error={snippets.error} what="The snippets cannot be loaded" retry={() => void snippets.refetch()} />
  return (
    <Stack gap="md" className={styles.snippets}>
      <div className={styles.bar}>
        <Text size="sm" c="dimmed">
          <bdi>{page.path}</bdi> · {countOf(page.snippets, 'snippet')} · {countOf(page.tokens, 'token')}
        </Text>
        <Switch
          className={styles.rawSwitch}
          label="Raw"
          checked={search.raw}
          onChange={(event) => change({ raw: event.currentTarget.checked })}
        />
      </div>
      {snippets.data ? (
        snippets.data.pages.flatMap(({ items }) =>
          items.map((snippet) => <SnippetCard key={snippet.id} snippet={snippet} raw={search.raw} />),
        )
      ) : (
        <Skeleton height={320} />
      )}
      {snippets.hasNextPage && (
        <Button variant="default" loading={snippets.isFetchingNextPage} onClick={() => void snippets.fetchNextPage()}>
          Show more snippets
        </Button>
      )}
    </Stack>
  )
}
