import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { jobEnds } from '../../../shared/web/jobs/job-ends.ts'
import { showToast } from '../../../shared/web/toast.tsx'
import { libraryPath } from '../api/library-path.ts'
import { jobsQuery, librariesQuery, libraryQuery } from '../api/library-queries.ts'

/** Follows the jobs of a teamspace on each of its pages, from the first one that a page has shown, and announces their ends. */
export function FollowJobs({ team }: { team: string }) {
  const queryClient = useQueryClient()
  const note = useJobEnds(team)
  const areShown = useShownJobs(team)
  const { data: jobs } = useQuery({
    ...jobsQuery(team),
    enabled: ({ state }) => areShown || (state.data?.length ?? 0) > 0,
  })
  const before = useRef<NonNullable<typeof jobs>>([])
  useEffect(() => {
    if (!jobs) return
    const ended = before.current.filter(({ id }) => !jobs.some((job) => job.id === id))
    before.current = jobs
    for (const { id, libraryId } of ended)
      queryClient.fetchQuery({ ...libraryQuery({ team, ...libraryPath(libraryId) }), staleTime: 0 }).then(
        ({ lastError }) => note({ job: id, library: libraryId, hasFailed: lastError !== null }),
        // The library was deleted.
        () => {},
      )
  }, [jobs, note, queryClient, team])
  return null
}

/** Tells if a page of the teamspace has read of an unfinished job. It asks nothing. */
function useShownJobs(team: string): boolean {
  const { owner = '', repo = '' } = useParams({ strict: false })
  const { data: libraries } = useQuery({ ...librariesQuery(team), enabled: false })
  const { data: library } = useQuery({ ...libraryQuery({ team, owner, repo }), enabled: false })
  return libraries?.some(({ job }) => job !== null) || (library?.job ?? null) !== null
}

function useJobEnds(team: string) {
  const queryClient = useQueryClient()
  const router = useRouter()
  return useMemo(() => {
    const pages = `/teamspaces/${team}`
    return jobEnds({
      unfinished: () => queryClient.getQueryData(jobsQuery(team).queryKey)?.length ?? 0,
      isShown(library) {
        const path = router.latestLocation.pathname
        return path === `${pages}/jobs` || path === `${pages}/libraries${library}`
      },
      openLibrary: (library) =>
        void router.navigate({ to: '/teamspaces/$team/libraries/$owner/$repo', params: { team, ...libraryPath(library) } }),
      openJobs: (end) =>
        void router.navigate(
          end
            ? {
                to: '/teamspaces/$team/libraries/$owner/$repo',
                params: { team, ...libraryPath(end.library) },
                search: { tab: 'jobs' },
              }
            : { to: '/teamspaces/$team/libraries', params: { team } },
        ),
      announce: (toast) => void showToast(toast),
    })
  }, [queryClient, router, team])
}
