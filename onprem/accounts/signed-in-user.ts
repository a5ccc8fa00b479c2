import { z } from 'zod'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { roles } from './key-store.ts'
import { mustAddFactor, mustChange, type User } from './user.ts'
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
    mustAddSecondFactor: z
      .literal(true)
      .optional()
      .describe('A second factor must be added before anything else is allowed, as accounts.requireSecondFactor says'),
    passwordSetByOther: z.boolean().describe('An admin, or a command of the install, set the password'),
  })
  .meta({ id: 'SignedInUser' })
export type SignedInUser = z.infer<typeof SignedInUser>

type SignedInUserPorts = { users: Pick<UserStore, 'find'>; settings: Pick<SettingsStore, 'get'> }

export function signedInUser(ports: SignedInUserPorts, id: string): SignedInUser {
  const user = ports.users.find(id) as User
  const { username, role, mustChangePassword, issuer } = user
  return {
    id,
    username,
    role,
    mustChangeCredentials: mustChange(user),
    issuer,
    ...(mustAddFactor(ports, user) && { mustAddSecondFactor: true }),
    passwordSetByOther: mustChangePassword,
  }
}
