import { queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { api } from '../api/api.ts'

export const factorApi = api.account['second-factor']

/** The second factor of the user. */
export const factorQuery = queryOptions({
  queryKey: ['account', 'second-factor'],
  queryFn: () => answerOf(factorApi.$get()),
})
