import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from './api.ts'

const readUsers = async () => (await answerOf(api.users.$get())).users

/** Everyone who can sign in, and disabled users. */
export const usersQuery = queryOptions({ queryKey: ['users'], queryFn: readUsers })

export type ListedUser = Awaited<ReturnType<typeof readUsers>>[number]
