import type { Context } from 'hono'
import type { TeamspaceCaller } from '../../access/caller.ts'
import type { MemberEnv } from './guards.ts'

/** A member, as the parts that serve keys of teamspaces see one. */
export const teamCaller = (c: Context<MemberEnv>): TeamspaceCaller => ({
  kind: 'teamspace',
  teamspace: c.get('teamspace').id,
  keyId: '',
  role: c.get('role'),
  scope: 'admin',
})
