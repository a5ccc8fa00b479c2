import type { QueryClient } from '@tanstack/react-query'
import type { RegisteredRouter } from '@tanstack/react-router'
import { jobEnds } from '../../../shared/web/jobs/job-ends.ts'
import { showToast } from '../../../shared/web/toast.tsx'
import { type Job, runningJobsQuery } from '../api/job-queries.ts'

/** Announces jobs that are done or failed. Returns what gets the states of jobs. */
export function announceJobs(queryClient: QueryClient, router: RegisteredRouter): (job: Job) => void {
  const note = jobEnds({
    unfinished: () => queryClient.getQueryData(runningJobsQuery.queryKey)?.unfinished ?? 0,
    isShown(library) {
      const { pathname: path, search } = router.latestLocation
      const isInSetup = path === '/setup' && (search.step === 'library' || search.step === 'ask')
      return path === '/queue' || path === `/libraries${library}` || isInSetup
    },
    openLibrary: (library) => void router.navigate({ to: '/libraries/$', params: { _splat: library.slice(1) } }),
    openJobs: (end) => void router.navigate({ to: '/queue', search: end ? { job: Number(end.job) } : {} }),
    announce: (toast) => void showToast(toast),
  })
  return ({ id, project, state }) => {
    const [library = project] = project.split('@', 1)
    if (state === 'done' || state === 'failed') note({ job: String(id), library, hasFailed: state === 'failed' })
  }
}
