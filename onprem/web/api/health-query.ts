import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from './api.ts'

/** Version, license and configured services. */
export const healthQuery = queryOptions({ queryKey: ['health'], queryFn: () => answerOf(api.health.$get()), staleTime: 60_000 })
