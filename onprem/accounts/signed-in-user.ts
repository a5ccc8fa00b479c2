import { z } from 'zod'
import { roles } from './key-store.ts'
import { mustChange, type User } from './user.ts'
import type { UserStore } from './user-store.ts'

export const SignedInUser = z
  .object({
    id: z.string(),
    username: z.string(),
    role: z.enum(roles),
    mustChangeCredentials: z
      .boolean()
      .describe('The password must be changed before anything else is allowed: it is the initial one, or someone else set it'),
    issuer: z.string().nullable().describe('The issuer at which the user signs in; null for a user with a password'),
    passwordSetByOther: z.boolean().describe('An admin, or a command of the install, set the password'),
  })
  .meta({ id: 'SignedInUser' })
export type SignedInUser = z.infer<typeof SignedInUser>

export function signedInUser({ users }: { users: Pick<UserStore, 'find'> }, id: string): SignedInUser {
  const user = users.find(id) as User
  const { username, role, mustChangePassword, issuer } = user
  return { id, username, role, mustChangeCredentials: mustChange(user), issuer, passwordSetByOther: mustChangePassword }
}
