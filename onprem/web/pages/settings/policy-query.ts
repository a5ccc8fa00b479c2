import { queryOptions } from '@tanstack/react-query'
import { stateOf } from '../../../../shared/web/api/answer-of.ts'
import { api } from '../../api/api.ts'

const readPolicy = () => policyOf(api.v2.policies.$get())

/** The policy in an answer, with its ETag. `isUnavailable`: the hosted service did not respond, so that this is the policy that is stored here. */
export const policyOf = async (call: ReturnType<typeof api.v2.policies.$get> | ReturnType<typeof api.v2.policies.$patch>) => ({
  ...(await stateOf(call)),
  isUnavailable: (await call).headers.get('x-carrel-hosted') === 'unavailable',
})

/** The query is not fetched again automatically, because the form would lose its input. */
export const policyQuery = queryOptions({
  queryKey: ['policy'],
  queryFn: readPolicy,
  staleTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})
