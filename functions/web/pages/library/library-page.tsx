import { Skeleton, Tabs } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { ApiError } from '../../../../shared/web/api/api-error.ts'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { TabsList } from '../../../../shared/web/tabs-list.tsx'
import { type LibraryDetails, type LibraryPath, librariesKey, libraryQuery } from '../../api/library-queries.ts'
import { useTeam } from '../../api/use-team.ts'
import { LibraryUsage } from '../usage/library-usage.tsx'
import { AskTab } from './ask-tab.tsx'
import { ContentTab } from './content-tab.tsx'
import { JobsTab } from './jobs-tab.tsx'
import { LibraryActions } from './library-actions.tsx'
import { LibraryFacts } from './library-facts.tsx'
import { LibraryHead } from './library-head.tsx'
import type { ChangeSearch, LibrarySearch } from './library-search.ts'
import { OwnershipTab } from './ownership-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { VersionsTab } from './versions-tab.tsx'

const route = getRouteApi('/signed-in/frame/teamspaces/$team/libraries/$owner/$repo')

/** One library: its facts and actions, its content, versions, jobs, owner and settings. */
export function LibraryPage() {
  const { id: team } = useTeam()
  const { owner, repo } = route.useParams()
  const path = { team, owner, repo }
  const library = useQuery(libraryQuery(path))
  useReloadAfterJob(path, library.data)
  const title = library.data?.title ?? `${owner}/${repo}`
  // A library that was deleted meanwhile is not shown any longer; another failure keeps the page as it is.
  if (library.error && (library.isLoadingError || isMissing(library.error)))
    return (
      <Page title={isMissing(library.error) ? 'Library not found' : title}>
        <ErrorState error={library.error} what="The library cannot be shown" retry={() => void library.refetch()} />
      </Page>
    )
  if (!library.data)
    return (
      <Page title={title} facts={<Skeleton height={20} width={320} />}>
        <Skeleton height={320} />
      </Page>
    )
  return (
    <Page
      title={title}
      facts={<LibraryFacts library={library.data} />}
      action={<LibraryActions path={path} library={library.data} />}
    >
      <LibraryTabs path={path} library={library.data} />
    </Page>
  )
}

function LibraryTabs({ path, library }: { path: LibraryPath; library: LibraryDetails }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change: ChangeSearch = (changes) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: 'q' in changes })
  return (
    <>
      {library.state === 'finalized' && <LibraryHead library={library} search={search} change={change} />}
      <Tabs value={search.tab} onChange={(tab) => change({ tab: tab as LibrarySearch['tab'] })} keepMounted={false}>
        <TabsList>
          <Tabs.Tab value="content">Content</Tabs.Tab>
          <Tabs.Tab value="ask">Ask</Tabs.Tab>
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
          <Tabs.Tab value="jobs">Jobs</Tabs.Tab>
          <Tabs.Tab value="usage">Usage</Tabs.Tab>
          <Tabs.Tab value="ownership">Ownership</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </TabsList>
        <Tabs.Panel value="content">
          <ContentTab path={path} library={library} search={search} change={change} />
        </Tabs.Panel>
        <Tabs.Panel value="ask">
          <AskTab path={path} library={library} search={search} change={change} />
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <VersionsTab path={path} library={library} />
        </Tabs.Panel>
        <Tabs.Panel value="jobs">
          <JobsTab path={path} library={library} />
        </Tabs.Panel>
        <Tabs.Panel value="usage">
          <LibraryUsage owner={path.owner} repo={path.repo} />
        </Tabs.Panel>
        <Tabs.Panel value="ownership">
          <OwnershipTab path={path} library={library} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <SettingsTab path={path} library={library} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

/** The error names the library itself. */
const isMissing = (error: Error): boolean => error instanceof ApiError && error.status === 404

/** Reads the content of the library again when its job has ended. */
function useReloadAfterJob({ team }: LibraryPath, library: LibraryDetails | undefined): void {
  const queryClient = useQueryClient()
  const job = library?.job?.id
  const before = useRef(job)
  useEffect(() => {
    if (before.current !== undefined && job !== before.current)
      void queryClient.invalidateQueries({ queryKey: librariesKey(team) })
    before.current = job
  }, [queryClient, team, job])
}
