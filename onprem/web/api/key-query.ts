import { queryOptions } from '@tanstack/react-query'
import type { InferResponseType } from 'hono/client'
import { answerOf, api } from './api.ts'

export type Key = InferResponseType<typeof api.keys.$get, 200>['keys'][number]
export type CreatedKey = InferResponseType<typeof api.keys.$post, 201>

/** The keys that the user may see: those of everyone for an admin. */
export const keyQuery = queryOptions({ queryKey: ['keys'], queryFn: () => answerOf(api.keys.$get()) })
