import { queryOptions } from '@tanstack/react-query'
import type { InferResponseType } from 'hono/client'
import { answerOf, api } from './api.ts'

export type SetupSteps = InferResponseType<typeof api.setup.$get, 200>['steps']
export type SetupStep = SetupSteps[number]['name']

/** The steps of the first setup that are done or skipped. Only admins may read them. */
export const setupQuery = queryOptions({ queryKey: ['setup'], queryFn: () => answerOf(api.setup.$get()) })
