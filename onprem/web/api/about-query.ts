import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from './api.ts'

const readAbout = () => answerOf(api.about.$get())

/** Versions, and whether other machines can reach the server. */
export const aboutQuery = queryOptions({ queryKey: ['about'], queryFn: readAbout, staleTime: 60_000 })

export type About = Awaited<ReturnType<typeof readAbout>>
