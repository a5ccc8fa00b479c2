import { queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../../shared/web/api/answer-of.ts'
import { api } from './api.ts'

/** The issuers of single sign-on, and whether passwords count. A problem of the last sign-in is in the first answer only. */
export const waysToSignInQuery = queryOptions({
  queryKey: ['ways-to-sign-in'],
  queryFn: () => answerOf(api.auth.oidc.$get()),
  staleTime: 60_000,
})
