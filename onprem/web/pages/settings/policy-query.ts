import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../../api/api.ts'

async function readPolicy() {
  const call = api.v2.policies.$get()
  const policy = await answerOf(call)
  return { ...policy, isUnavailable: isUnavailable(await call) }
}

/** The query is not fetched again automatically, because the form would lose its input. */
export const policyQuery = queryOptions({
  queryKey: ['policy'],
  queryFn: readPolicy,
  staleTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})

export type PolicyAnswer = Awaited<ReturnType<typeof readPolicy>>

/** True if the hosted service did not respond, so that the response has the policy that is stored here. */
export const isUnavailable = ({ headers }: { headers: Headers }): boolean => headers.get('x-carrel-hosted') === 'unavailable'
