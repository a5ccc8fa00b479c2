import type { Role } from '../api/teamspace-queries.ts'

/** From the highest to the lowest. */
const roles = ['owner', 'admin', 'developer'] as const satisfies readonly Role[]

export const roleTexts: Record<Role, { label: string; rights: string }> = {
  owner: { label: 'Owner', rights: 'Can do everything: also renames and deletes the teamspace, and makes owners' },
  admin: { label: 'Admin', rights: 'Manages libraries, also private ones, members, keys, policies, rules and git tokens' },
  developer: { label: 'Developer', rights: 'Adds public libraries, refreshes them, reads usage and creates own keys' },
}

/** The roles that a member may give, the lowest first. */
export const rolesUpTo = (role: Role): Role[] => roles.slice(roles.indexOf(role)).reverse()
