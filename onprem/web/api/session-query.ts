import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from './api.ts'

export const sessionKey = ['session'] as const

export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: () => answerOf(api.auth.session['get-session'].$get()),
  staleTime: 60_000,
})
