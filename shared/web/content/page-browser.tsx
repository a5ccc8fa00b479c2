import { Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import type { UseQueryResult } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { Suspense } from 'react'
import { ErrorState } from '../error-state.tsx'
import { countOf } from '../format.ts'
import { lazyPart } from '../lazy-part.ts'
import { CompareBar } from './compare-bar.tsx'
import styles from './content.module.css'
import type { LibraryPage } from './page-labels.ts'
import { PageTree } from './page-tree.tsx'
import { Reader } from './reader.tsx'
import type { ChangeContent, ShownContent, UseChanges, UsePage } from './shown-content.ts'

const CompareView = lazyPart(async () => ({ default: (await import('./compare-view.tsx')).CompareView }))

type PageBrowserProps = {
  /** The id of the library without its first slash. */
  library: string
  shown: ShownContent
  change: ChangeContent
  /** The first pages that match. */
  pages: UseQueryResult<{ pages: readonly LibraryPage[]; total: number; overview?: string | undefined }>
  /** The name of the version that is served by default, and the others. */
  defaultVersion: string
  versions: readonly string[]
  usePage: UsePage
  useChanges: UseChanges
}

/** The content of a library: its pages, or how two of its versions differ. */
export function PageBrowser({ defaultVersion, versions, useChanges, ...props }: PageBrowserProps) {
  const { library, shown, change, usePage } = props
  const nameOf = (version: string) => version || `${defaultVersion} (latest)`
  return (
    <Stack gap="md">
      <CompareBar shown={shown} change={change} versions={versions} nameOf={nameOf} />
      {shown.compare === undefined ? (
        <Pages {...props} />
      ) : (
        <Suspense fallback={<Skeleton height={320} />}>
          <CompareView
            {...{ library, usePage, useChanges, page: shown.page, from: shown.compare, to: shown.version }}
            names={{ from: nameOf(shown.compare), to: nameOf(shown.version) }}
          />
        </Suspense>
      )}
    </Stack>
  )
}

type PagesProps = Pick<PageBrowserProps, 'library' | 'shown' | 'change' | 'pages' | 'usePage'>

/** The pages on the left, the chosen one as a text on the right. */
function Pages({ library, shown, change, pages: list, usePage }: PagesProps) {
  const filter = useDebouncedCallback((q: string) => change({ q }), 200)
  if (list.isLoadingError)
    return <ErrorState error={list.error} what="The pages cannot be loaded" retry={() => void list.refetch()} />
  const path = shown.page || list.data?.overview
  return (
    <div className={styles.content}>
      <Stack gap="xs" className={styles.pages}>
        <TextInput
          aria-label="Filter pages"
          placeholder="Filter pages"
          leftSection={<Search size={16} aria-hidden />}
          defaultValue={shown.q}
          onChange={(event) => filter(event.currentTarget.value)}
        />
        {list.data ? <PageTree pages={list.data.pages} chosen={path} /> : <Skeleton height={240} />}
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
      {path !== undefined && <Reader key={path} {...{ library, path, shown, change, usePage }} />}
    </div>
  )
}
