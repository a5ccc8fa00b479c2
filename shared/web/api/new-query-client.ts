import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { serverAway } from './server-away.ts'
import { sessionLost } from './session-lost.ts'

const maxRetries = 2

declare module '@tanstack/react-query' {
  interface Register {
    /** `done` is announced when the mutation succeeds, unless it returns false: it has done nothing then. */
    mutationMeta: { done?: string | undefined }
  }
}

/**
 * Holds what the pages have read. A session that ended opens the sign-in dialog over the page, so that a half-filled form is not lost;
 * `sessionKey` is the key of the session, which is empty before the sign-in. `announce` gets the words of mutations that succeed.
 */
export function newQueryClient(sessionKey: QueryKey, announce: (done: { message: string }) => void): QueryClient {
  const noteFailure = (error: Error): void => {
    if (!(error instanceof ApiError)) return
    if (error.code === 'unreachable') serverAway.set(true)
    if (error.status !== 401) return
    if (queryClient.getQueryData(sessionKey)) sessionLost.set(true)
  }
  const queryClient = new QueryClient({
    queryCache: new QueryCache({ onError: noteFailure }),
    mutationCache: new MutationCache({
      onError: noteFailure,
      onSuccess: (data, _variables, _result, { meta }) =>
        meta?.done !== undefined && data !== false && announce({ message: meta.done }),
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) =>
          failures < maxRetries && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
      },
      mutations: { retry: false },
    },
  })
  return queryClient
}
