import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { InferRequestType } from 'hono/client'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { api } from './api.ts'

const list = api.jobs.$get
type ListQuery = InferRequestType<typeof list>['query']

export const jobListQuery = (query: ListQuery) =>
  queryOptions({
    queryKey: ['jobs', 'list', query],
    queryFn: () => answerOf(list({ query })),
    placeholderData: keepPreviousData,
  })

/** The running jobs, and how many wait. Live events keep it current on every page. */
export const runningJobsQuery = jobListQuery({ state: 'parsing,finalizing', pageSize: '10' })

export const jobQuery = (id: number) =>
  queryOptions({
    queryKey: ['jobs', 'one', id],
    queryFn: () => answerOf(api.jobs[':id'].$get({ param: { id: String(id) } })),
  })

/** One page of a log, from 0. */
export const jobLogQuery = (id: number, page: number) =>
  queryOptions({
    queryKey: ['jobs', 'log', id, page],
    queryFn: () =>
      answerOf(api.jobs[':id'].log.$get({ param: { id: String(id) }, query: { after: String(page * logPageLines) } })),
  })

/** Lines of a page of a log, as the API pages it. */
export const logPageLines = 1000

const answeredList = () => answerOf(list({ query: {} }))
export type JobList = Awaited<ReturnType<typeof answeredList>>
export type Job = JobList['jobs'][number]

export const isUnfinished = ({ state }: Pick<Job, 'state'>): boolean =>
  state === 'queued' || state === 'parsing' || state === 'finalizing'
