import type { Context } from 'hono'
import type { Membership } from '../../access/teamspaces.ts'
import type { User } from '../../access/users.ts'
import type { MemberEnv } from './guards.ts'

/** A user, as the member of a teamspace whose role they use. */
export type Acting = Membership & { user: User }

/** The member that a request comes from, behind `member`, `admin` or `owner`. */
export const acting = (c: Context<MemberEnv>): Acting => ({
  user: c.get('session').user,
  teamspace: c.get('teamspace'),
  role: c.get('role'),
})
