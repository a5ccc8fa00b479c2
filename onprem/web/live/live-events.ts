import { hashKey, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { type RegisteredRouter, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { sessionLost } from '../../../shared/web/api/session-lost.ts'
import { api } from '../api/api.ts'
import { type Job, type JobList, jobQuery, runningJobsQuery } from '../api/job-queries.ts'
import { liveStatus } from './live-status.ts'

const pollEveryMs = 5_000
const reopenAfterMs = 10_000
/** Lists are read again at most this often while many jobs change. */
const refreshAfterMs = 400

/**
 * Keeps the queries ['jobs', …], ['libraries', …], ['agents'] and ['setup'] current: by events while the stream is open, by polling while it is not. Only a visible
 * page has a stream, because a browser opens few connections to a host. Jobs that end are announced. Returns what ends it.
 */
function liveEvents(queryClient: QueryClient, router: RegisteredRouter, url: string): () => void {
  let source: EventSource | undefined
  let lastId = ''
  let isBegun = false
  let isEnded = false
  let reopening: ReturnType<typeof setTimeout> | undefined
  let polling: ReturnType<typeof setInterval> | undefined
  const stale = new Map<string, ReturnType<typeof setTimeout>>()
  let announcing: Promise<(job: Job) => void> | undefined

  // A page without jobs does not load the code.
  const announce = (job: Job) => {
    announcing ??= import('./announce-jobs.ts').then(({ announceJobs }) => announceJobs(queryClient, router))
    announcing.then((note) => note(job)).catch(() => {})
  }
  // While there is no stream, a job has ended that was running in the answer before.
  let running: readonly number[] = []
  const unfollow = queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryHash !== hashKey(runningJobsQuery.queryKey)) return
    const ids = (query.state.data as JobList | undefined)?.jobs.map(({ id }) => id) ?? running
    const ended = running.filter((id) => !ids.includes(id))
    running = ids
    if (liveStatus.get() !== 'polling') return
    for (const id of ended) void queryClient.fetchQuery({ ...jobQuery(id), staleTime: 0 }).then(announce, () => {})
  })
  const refresh = (resource: string) => {
    if (stale.has(resource)) return
    const timer = setTimeout(() => {
      stale.delete(resource)
      // A mutation reads the resource again when it has ended: until then the page may show the deleted item.
      if (queryClient.isMutating({ mutationKey: [resource] }) > 0) return
      void queryClient.invalidateQueries({ queryKey: [resource], predicate: isNoLog })
    }, refreshAfterMs)
    stale.set(resource, timer)
  }
  const refreshAll = () => {
    for (const resource of ['jobs', 'libraries', 'agents', 'setup']) refresh(resource)
  }
  const poll = () => {
    liveStatus.set('polling')
    polling ??= setInterval(refreshAll, pollEveryMs)
  }
  const close = () => {
    clearTimeout(reopening)
    clearInterval(polling)
    polling = undefined
    source?.close()
    source = undefined
  }
  const open = () => {
    close()
    const opened = new EventSource(lastId === '' ? url : `${url}?lastEventId=${encodeURIComponent(lastId)}`)
    source = opened
    const on = (name: string, work: (data: string) => void) =>
      opened.addEventListener(name, (event) => {
        lastId = event.lastEventId || lastId
        work(event.data)
      })
    opened.onopen = () => {
      clearInterval(polling)
      polling = undefined
      if (liveStatus.get() === 'polling' || lastId === '') refreshAll()
      liveStatus.set('live')
    }
    opened.onerror = () => {
      poll()
      // The browser retries a stream that was cut off, but not one that was rejected.
      if (opened.readyState !== EventSource.CLOSED) return
      refreshAll()
      clearTimeout(reopening)
      reopening = setTimeout(open, reopenAfterMs)
    }
    on('job', (data) => {
      const job = JSON.parse(data) as Job
      const isNewState = applyJob(queryClient, job)
      announce(job)
      // An answer that is under way may be older than this event and replace it.
      if (isNewState || queryClient.isFetching({ queryKey: ['jobs'], predicate: isNoLog }) > 0) refresh('jobs')
    })
    on('library', () => {
      refresh('libraries')
      refresh('setup')
    })
    on('agent', () => {
      refresh('agents')
      refresh('setup')
    })
    on('reset', refreshAll)
  }
  const onVisibility = () => {
    if (document.visibilityState === 'hidden') close()
    else if (source === undefined && isBegun) open()
  }
  // The stream continues from the first answer, so that no change is missed in between.
  const begin = async () => {
    const first = await queryClient.ensureQueryData(runningJobsQuery).catch(() => undefined)
    lastId = first?.lastEventId ?? ''
    isBegun = !isEnded
    if (isBegun) onVisibility()
  }
  // After a sign-in, the stream belongs to the new session.
  const onSession = () => sessionLost.current || document.visibilityState === 'hidden' || open()
  sessionLost.listeners.add(onSession)
  document.addEventListener('visibilitychange', onVisibility)
  void begin()
  return () => {
    isEnded = true
    unfollow()
    sessionLost.listeners.delete(onSession)
    document.removeEventListener('visibilitychange', onVisibility)
    for (const timer of stale.values()) clearTimeout(timer)
    close()
    liveStatus.set('connecting')
  }
}

/** The frame calls this once: lists of jobs and libraries follow the server on every page. */
export function useLiveEvents(): void {
  const queryClient = useQueryClient()
  const router = useRouter()
  useEffect(() => liveEvents(queryClient, router, api.events.$url().href), [queryClient, router])
}

const isNoLog = ({ queryKey }: { queryKey: QueryKey }): boolean => queryKey[1] !== 'log'

/** Puts the new state of a job into all cached answers. Returns whether lists must be read again, because the job is new or in another state. */
function applyJob(queryClient: QueryClient, job: Job): boolean {
  let before: Job | undefined
  for (const [queryKey, list] of queryClient.getQueriesData<JobList>({ queryKey: ['jobs', 'list'] })) {
    const knownJob = list?.jobs.find(({ id }) => id === job.id)
    if (!list || !knownJob) continue
    before = knownJob
    const jobs = list.jobs.map((each) => (each.id === job.id ? merged(each, job) : each))
    queryClient.setQueryData<JobList>(queryKey, { ...list, jobs })
  }
  queryClient.setQueryData<Job>(['jobs', 'one', job.id], (one) => one && merged(one, job))
  return before?.state !== job.state
}

/** Callers without a session get events without reports. */
const merged = (before: Job, { report, ...after }: Job): Job => ({ ...before, ...after, report: report ?? before.report })
