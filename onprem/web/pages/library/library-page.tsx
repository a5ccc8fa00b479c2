import { Skeleton, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ApiError } from '../../../../shared/web/api/api-error.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { TabsList } from '../../../../shared/web/tabs-list.tsx'
import { activeJobsQuery, libraryQuery } from '../../api/library-query.ts'
import { UsageContent } from '../usage/usage-content.tsx'
import { ContentTab } from './content-tab.tsx'
import { LibraryActions } from './library-actions.tsx'
import { LibraryFacts } from './library-facts.tsx'
import { LibraryHead } from './library-head.tsx'
import type { LibrarySearch } from './library-search.ts'
import { ReportsTab } from './reports-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { VersionsTab } from './versions-tab.tsx'

const from = '/signed-in/frame/libraries/$'

/** One library: its facts and actions, and its content, versions and reports. */
export function LibraryPage() {
  const { _splat: id = '' } = useParams({ from })
  const { tab, version } = useSearch({ from })
  const navigate = useNavigate({ from: '/libraries/$' })
  const library = useQuery(libraryQuery(id))
  const { data: active = {} } = useQuery(activeJobsQuery)
  // A library that was deleted meanwhile is not shown any longer; another failure keeps the page as it is.
  if (library.error && (library.isLoadingError || isMissing(library.error)))
    return (
      <Page title={isMissing(library.error) ? 'Library not found' : id}>
        <ErrorState error={library.error} what="The library cannot be shown" retry={() => void library.refetch()} />
      </Page>
    )
  if (!library.data)
    return (
      <Page title={id} facts={<Skeleton height={20} width={320} />}>
        <Skeleton height={320} />
      </Page>
    )
  const { data } = library
  const job = active[data.id]
  return (
    <Page
      title={data.title}
      facts={<LibraryFacts library={data} job={job} />}
      action={<LibraryActions library={data} job={job} />}
    >
      {data.state === 'finalized' && (
        <LibraryHead
          library={data}
          version={version}
          chooseVersion={(version) => void navigate({ search: (before) => ({ ...before, version }) })}
        />
      )}
      <Tabs
        value={tab}
        onChange={(value) => void navigate({ search: (before) => ({ ...before, tab: value as LibrarySearch['tab'] }) })}
        keepMounted={false}
      >
        <TabsList>
          <Tabs.Tab value="content">Content</Tabs.Tab>
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
          <Tabs.Tab value="reports">Reports</Tabs.Tab>
          <Tabs.Tab value="usage">Usage</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </TabsList>
        <Tabs.Panel value="content">
          <ContentTab library={data} />
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <VersionsTab library={data} />
        </Tabs.Panel>
        <Tabs.Panel value="reports">
          <ReportsTab id={data.id} />
        </Tabs.Panel>
        <Tabs.Panel value="usage">
          <UsageTab id={data.id} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <SettingsTab library={data} busy={job !== undefined} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

/** The error names the library itself. */
const isMissing = (error: Error): boolean => error instanceof ApiError && error.status === 404

/** The usage of one library. */
function UsageTab({ id }: { id: string }) {
  const { days } = useSearch({ from: '/signed-in/frame/libraries/$' })
  const navigate = useNavigate({ from: '/libraries/$' })
  return (
    <UsageContent
      request={{ days, library: id }}
      changeDays={(days) => void navigate({ search: (before) => ({ ...before, days }) })}
    />
  )
}
