import { queryOptions } from '@tanstack/react-query'
import type { InferResponseType } from 'hono/client'
import { answerOf, api } from './api.ts'

export type SetupSteps = InferResponseType<typeof api.setup.$get, 200>['steps']
export type SetupStep = SetupSteps[number]['name']

/** Which steps of the first setup are done or skipped. Only for admins. */
export const setupQuery = queryOptions({ queryKey: ['setup'], queryFn: () => answerOf(api.setup.$get()) })
