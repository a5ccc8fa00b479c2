import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/api.ts'

async function readPolicy() {
  const call = api.v2.policies.$get()
  const policy = await answerOf(call)
  return { ...policy, isUnavailable: isUnavailable(await call) }
}

/** Not fetched again by itself: the form would lose what was entered. */
export const policyQuery = queryOptions({
  queryKey: ['policy'],
  queryFn: readPolicy,
  staleTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})

export type PolicyAnswer = Awaited<ReturnType<typeof readPolicy>>

/** Whether the hosted service did not respond, so that the answer has the policy that is stored here. */
export const isUnavailable = ({ headers }: { headers: Headers }): boolean => headers.get('x-carrel-hosted') === 'unavailable'
