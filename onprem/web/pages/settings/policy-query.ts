import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/api.ts'

const readPolicy = () => answerOf(api.v2.policies.$get())

/** Not fetched again by itself: the form would lose what was entered. */
export const policyQuery = queryOptions({
  queryKey: ['policy'],
  queryFn: readPolicy,
  staleTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})

export type PolicyAnswer = Awaited<ReturnType<typeof readPolicy>>
