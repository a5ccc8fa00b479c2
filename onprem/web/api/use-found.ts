import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import type { Found } from '../../../shared/web/search/found.ts'
import { api } from './api.ts'

const maxLibraries = 8

/** Searches in all libraries. Nothing is asked for an empty text. */
export function useFound(text: string): Found {
  const { data, isPlaceholderData, isFetching, error } = useQuery({
    queryKey: ['libraries', 'found', text],
    queryFn: () => answerOf(api.projects.$get({ query: { q: text, pageSize: String(maxLibraries) } })),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
  const libraries = (data?.projects ?? []).map(({ id, title }) => ({ id, title, matches: [] }))
  return { libraries, isCurrent: !isPlaceholderData && !(isFetching && !data), error }
}
