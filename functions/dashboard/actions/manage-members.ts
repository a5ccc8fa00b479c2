import { AppError } from '../../../shared/errors.ts'
import { type Audit, audited } from '../../access/audit.ts'
import type { Member, Role, Teamspaces } from '../../access/teamspaces.ts'
import type { User, Users } from '../../access/users.ts'
import type { Acting } from '../access/acting.ts'
import { requireRole } from '../access/guards.ts'
import { actor } from './actor.ts'

export type ManageMembersPorts = {
  teamspaces: Pick<Teamspaces, 'members' | 'membership' | 'changeRole' | 'removeMember' | 'listKeys' | 'revokeKey'>
  users: Pick<Users, 'getEach'>
  audit: Pick<Audit, 'begin'>
}

/** Members with their address and name, the earliest first. */
export async function listMembers({ teamspaces, users }: ManageMembersPorts, team: string) {
  const listed = await teamspaces.members(team)
  const known = new Map((await users.getEach(listed.map(({ user }) => user))).map((user) => [user.id, user]))
  const members = listed.map((member): Member & Pick<User, 'email' | 'name'> => {
    const { email = '', name = '' } = known.get(member.user) ?? {}
    return { ...member, email, name }
  })
  return members.sort((a, b) => (a.addedAt < b.addedAt ? -1 : 1))
}

/** Only owners make or change owners. Throws user_not_found, forbidden, validation_error for the last owner. */
export async function changeMemberRole(ports: ManageMembersPorts, acting: Acting, user: string, role: Role): Promise<void> {
  const { teamspace } = acting
  const before = await memberRole(ports, acting, user)
  if (role === 'owner') requireRole(acting.role, 'owner')
  const change = { before: { member: user, role: before }, after: { role } }
  await audited(ports.audit, { who: actor(acting.user), what: 'changeRole', teamspace: teamspace.id, ...change }, () =>
    ports.teamspaces.changeRole(teamspace.id, user, role),
  )
}

/** Only owners remove owners. Throws user_not_found, forbidden, validation_error for the last owner. */
export async function removeMember(ports: ManageMembersPorts, acting: Acting, user: string): Promise<void> {
  const before = { member: user, role: await memberRole(ports, acting, user) }
  await endMembership(ports, acting, 'removeMember', before)
}

/** Throws validation_error for the last owner. */
export const leaveTeamspace = (ports: ManageMembersPorts, acting: Acting): Promise<void> =>
  endMembership(ports, acting, 'leaveTeamspace', { member: acting.user.id, role: acting.role })

async function endMembership(
  { audit, teamspaces }: ManageMembersPorts,
  { teamspace: { id }, user }: Acting,
  what: string,
  before: { member: string; role: Role },
): Promise<void> {
  await audited(audit, { who: actor(user), what, teamspace: id, before }, async () => {
    await teamspaces.removeMember(id, before.member)
    // The keys have ended with the membership. They must not return with another one.
    for (const key of await teamspaces.listKeys(id))
      if (key.holder === before.member && key.revokedAt === null) await teamspaces.revokeKey(key.id)
  })
}

/** The role of a member whom the acting one may change. */
async function memberRole({ teamspaces }: ManageMembersPorts, { teamspace, role }: Acting, user: string): Promise<Role> {
  const member = await teamspaces.membership(teamspace.id, user)
  if (member === undefined) throw new AppError('user_not_found', 'The teamspace has no such member.')
  if (member.role === 'owner') requireRole(role, 'owner')
  return member.role
}
