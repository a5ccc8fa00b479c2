import { Button, NativeSelect, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { ErrorState } from '../error-state.tsx'
import { countOf } from '../format.ts'
import styles from './content.module.css'
import { type LibraryPage, PageTree } from './page-tree.tsx'
import { type ShownSnippet, SnippetCard } from './snippet-card.tsx'

/** What is shown: empty texts for the version served by default, the first page and all pages. `raw`: snippets as Markdown. */
export type ShownContent = { version: string; page: string; q: string; raw: boolean }

/** A hook that reads the snippets of a page, some at a time. */
export type UseSnippets = (page: {
  library: string
  version: string
  path: string
}) => UseInfiniteQueryResult<InfiniteData<{ items: readonly (ShownSnippet & { id: string })[] }>>

type PageBrowserProps = {
  /** The id of the library without its first slash. */
  library: string
  shown: ShownContent
  change: (changes: Partial<ShownContent>) => void
  /** The first pages that match. */
  pages: UseQueryResult<{ pages: readonly LibraryPage[]; total: number }>
  /** The name of the version that is served by default, and the others. */
  defaultVersion: string
  versions: readonly string[]
  useSnippets: UseSnippets
}

/** The pages of a library on the left, the snippets of the chosen one on the right. */
export function PageBrowser({ library, shown, change, pages: list, defaultVersion, versions, useSnippets }: PageBrowserProps) {
  const filter = useDebouncedCallback((q: string) => change({ q }), 200)
  if (list.isLoadingError)
    return <ErrorState error={list.error} what="The pages cannot be loaded" retry={() => void list.refetch()} />
  const chosen = list.data?.pages.find(({ path }) => path === shown.page) ?? list.data?.pages[0]
  return (
    <div className={styles.content}>
      <Stack gap="xs" className={styles.pages}>
        {versions.length > 0 && (
          <NativeSelect
            aria-label="Version"
            data={[{ value: '', label: `${defaultVersion} (latest)` }, ...versions]}
            value={shown.version}
            onChange={(event) => change({ version: event.currentTarget.value, page: '' })}
          />
        )}
        <TextInput
          aria-label="Filter pages"
          placeholder="Filter pages"
          leftSection={<Search size={16} aria-hidden />}
          defaultValue={shown.q}
          onChange={(event) => filter(event.currentTarget.value)}
        />
        {list.data ? (
          <PageTree pages={list.data.pages} chosen={chosen?.path} choose={(page) => change({ page })} />
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
      {chosen && (
        <Snippets key={chosen.path} library={library} page={chosen} shown={shown} change={change} useSnippets={useSnippets} />
      )}
    </div>
  )
}

type SnippetsProps = Pick<PageBrowserProps, 'library' | 'shown' | 'change' | 'useSnippets'> & { page: LibraryPage }

function Snippets({ library, page, shown, change, useSnippets }: SnippetsProps) {
  const snippets = useSnippets({ library, version: shown.version, path: page.path })
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
          checked={shown.raw}
          onChange={(event) => change({ raw: event.currentTarget.checked })}
        />
      </div>
      {snippets.data ? (
        snippets.data.pages.flatMap(({ items }) =>
          items.map((snippet) => <SnippetCard key={snippet.id} snippet={snippet} raw={shown.raw} />),
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
