import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { InferResponseType } from 'hono/client'
import { answerOf, api } from './api.ts'

export type UsageRequest = { days: number; library: string }
type Answer = Exclude<InferResponseType<typeof api.usage.$get, 200>, string>

const call = ({ days, library }: UsageRequest, format: 'json' | 'csv') =>
  api.usage.$get({ query: { days: String(days), format, ...(library !== '' && { libraryId: library }) } })

/** The usage of one library, or of all if `library` is empty. */
export const usageQuery = (request: UsageRequest) =>
  queryOptions({
    queryKey: ['usage', request.library, request.days],
    queryFn: async () => {
      const answer: unknown = await answerOf(call(request, 'json'))
      return answer as Answer
    },
    placeholderData: keepPreviousData,
  })

export const usageCsv = (request: UsageRequest) => call(request, 'csv')
