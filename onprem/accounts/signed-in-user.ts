import { z } from 'zod'
import { roles } from './key-store.ts'
import type { User } from './user.ts'
import type { UserStore } from './user-store.ts'

export const SignedInUser = z
  .object({
    id: z.string(),
    username: z.string(),
    role: z.enum(roles),
    mustChangeCredentials: z.boolean().describe('The initial password must be changed before anything else is allowed'),
  })
  .meta({ id: 'SignedInUser' })
export type SignedInUser = z.infer<typeof SignedInUser>

export function signedInUser({ users }: { users: Pick<UserStore, 'find'> }, id: string): SignedInUser {
  const { username, role, defaultPair } = users.find(id) as User
  return { id, username, role, mustChangeCredentials: defaultPair }
}
