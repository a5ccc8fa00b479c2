import { Group, Pagination, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { countOf } from '../../../../shared/web/format.ts'
import { LinkButton } from '../../../../shared/web/link-button.tsx'
import { Page } from '../../../../shared/web/page.tsx'
import { type Job, type JobList, jobListQuery, jobQuery } from '../../api/job-queries.ts'
import { failureSeen } from '../../live/failure-seen.ts'
import { useLiveStatus } from '../../live/live-status.ts'
import { JobListSkeleton, JobList as Jobs } from './job-list.tsx'
import { QueueFilters } from './queue-filters.tsx'
import { type QueueSearch, stateFilters } from './queue-search.ts'

const route = getRouteApi('/signed-in/frame/queue')
const pageSize = 25

export function QueuePage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { state, kind, q, page = 1 } = search
  const list = useQuery(
    jobListQuery({
      ...(state && { state: stateFilters[state] }),
      ...(kind && { kind }),
      ...(q && { q }),
      sort: 'queue',
      page: String(page),
      pageSize: String(pageSize),
    }),
  )
  const isFiltered = state !== undefined || kind !== undefined || q !== undefined
  const jobs = useShownJobs(list.data, search.job)
  const pages = Math.ceil((list.data?.total ?? 0) / pageSize)
  const change = (changes: QueueSearch) => void navigate({ search: (before) => ({ ...before, ...changes }) })
  const lastFailedAt = list.data?.lastFailedAt
  useEffect(() => {
    if (lastFailedAt) failureSeen.set(lastFailedAt)
  }, [lastFailedAt])
  return (
    <Page title="Parse Queue" facts={<Facts list={list.data} />} action={<LinkButton to="/add">Add Repository</LinkButton>}>
      <QueueFilters search={search} change={(filters) => change({ page: undefined, job: undefined, ...filters })} />
      {list.isPending && <JobListSkeleton />}
      {list.isError && !list.data && (
        <ErrorState error={list.error} what="The jobs cannot be listed" retry={() => void list.refetch()} />
      )}
      {list.data && jobs.length === 0 && <NoJobs isFiltered={isFiltered} />}
      {jobs.length > 0 && <Jobs jobs={jobs} opened={search.job} open={(job) => change({ job })} />}
      {pages > 1 && (
        <Group justify="center">
          <Pagination
            total={pages}
            value={page}
            onChange={(to) => change({ page: to > 1 ? to : undefined, job: undefined })}
            getControlProps={(control) => ({ 'aria-label': control === 'next' ? 'Next page' : 'Previous page' })}
            getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
          />
        </Group>
      )}
    </Page>
  )
}

/** The jobs of the page, after the opened one if it is on another page. */
function useShownJobs(list: JobList | undefined, opened: number | undefined): Job[] {
  const isListed = list?.jobs.some(({ id }) => id === opened) ?? true
  const { data } = useQuery({ ...jobQuery(opened ?? 0), enabled: opened !== undefined && !isListed })
  return [...(data && !isListed ? [data] : []), ...(list?.jobs ?? [])]
}

function Facts({ list }: { list: JobList | undefined }) {
  const status = useLiveStatus()
  if (!list) return 'Jobs read repositories and bundles, and build the index'
  const work = list.unfinished === 0 ? 'Nothing is running or waiting' : `${countOf(list.unfinished, 'job')} running or waiting`
  return (
    <>
      {work}
      {status === 'polling' && ' · The live connection is lost; this page asks every 5 seconds'}
      <VisuallyHidden role="status">{list.unfinished === 0 ? 'All jobs have ended' : work}</VisuallyHidden>
    </>
  )
}

const NoJobs = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState picture="search" title="No job matches" action={<LinkButton to="/queue">Show all jobs</LinkButton>}>
      No job has this state, kind and library. The newest 1,000 ended jobs are kept.
    </EmptyState>
  ) : (
    <EmptyState title="No jobs yet" action={<LinkButton to="/add">Add Repository</LinkButton>}>
      Each repository or bundle that you add is read by a job. Its progress, log and report appear here.
    </EmptyState>
  )
