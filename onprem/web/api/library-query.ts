import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { InferRequestType, InferResponseType } from 'hono/client'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { api } from './api.ts'

type ListRequest = InferRequestType<typeof api.projects.$get>['query']
export type LibraryItem = InferResponseType<typeof api.projects.$get, 200>['projects'][number]

export type ActiveJob = InferResponseType<(typeof api)['parse-status']['$get'], 200>['activeParses'][string]

const one = api.projects[':id{.+}'].$get
export type LibraryDetails = InferResponseType<typeof one, 200>

/** One page of the libraries of this install. */
export const libraryListQuery = (query: ListRequest) =>
  queryOptions({
    queryKey: ['libraries', 'list', query],
    queryFn: () => answerOf(api.projects.$get({ query })),
    placeholderData: keepPreviousData,
  })

/** One library, by its id without the first slash. */
export const libraryQuery = (id: string) =>
  queryOptions({
    queryKey: ['libraries', 'one', id],
    queryFn: () => answerOf(one({ param: { id } })),
  })

/** The unfinished jobs, by library id. */
export const activeJobsQuery = queryOptions({
  queryKey: ['jobs', 'active'],
  queryFn: async () => (await answerOf(api['parse-status'].$get())).activeParses,
  refetchInterval: (query) => (Object.keys(query.state.data ?? {}).length > 0 ? 2_000 : false),
})
