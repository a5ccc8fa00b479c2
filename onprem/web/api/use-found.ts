import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import type { Found } from '../../../shared/web/search/found.ts'
import { api } from './api.ts'

/** Searches in all libraries. Nothing is asked for an empty text. */
export function useFound(text: string): Found {
  const { data, isPlaceholderData, isFetching, error } = useQuery({
    queryKey: ['libraries', 'found', text],
    queryFn: () => answerOf(api.search.$get({ query: { q: text } })),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
  return { libraries: data?.libraries ?? [], isCurrent: !isPlaceholderData && !(isFetching && !data), error }
}
