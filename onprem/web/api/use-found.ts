import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import type { Found } from '../../../shared/web/search/found.ts'
import { api } from './api.ts'

type Among = { libraryId?: string; limit?: string }

/** The time until libraries that are still being indexed are searched again. */
const pendingIntervalMs = 3_000

/** Searches in all libraries, or in one. Nothing is asked for an empty text. */
export const foundQuery = (text: string, among: Among = {}) =>
  queryOptions({
    queryKey: ['libraries', 'found', text, among],
    queryFn: () => answerOf(api.search.$get({ query: { q: text, ...among } })),
    enabled: text !== '',
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.pending ? pendingIntervalMs : false),
  })

/** Searches in all libraries, for the palette. */
export function useFound(text: string): Found {
  const { data, isPlaceholderData, isFetching, error } = useQuery(foundQuery(text))
  const { libraries = [], pending = 0 } = data ?? {}
  return { libraries, pending, isCurrent: !isPlaceholderData && !(isFetching && !data), error }
}
