import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../shared/web/api/api-error.ts'
import { sessionLost } from '../../../shared/web/api/session-lost.ts'
import { sessionKey } from './session-query.ts'

const maxRetries = 2

/** A session that ended opens the sign-in dialog over the page, so that a half-filled form is not lost. */
const noteSession = (error: Error): void => {
  if (!(error instanceof ApiError) || error.status !== 401) return
  if (queryClient.getQueryData(sessionKey)) sessionLost.set(true)
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteSession }),
  mutationCache: new MutationCache({ onError: noteSession }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) =>
        failures < maxRetries && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
    },
    mutations: { retry: false },
  },
})
