import type { Membership } from '../../access/teamspaces.ts'

/** A teamspace as its members see it. */
export const teamspaceAnswer = ({ teamspace: { id, name, plan, createdAt }, role }: Membership) => ({
  id,
  name,
  plan,
  createdAt,
  role,
})
