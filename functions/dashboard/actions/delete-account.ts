import { AppError, invalidField } from '../../../shared/errors.ts'
import type { PlanRequests } from '../../access/plan-requests.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { Membership, Teamspaces } from '../../access/teamspaces.ts'
import type { User, Users } from '../../access/users.ts'
import { leaveTeamspace, type ManageMembersPorts } from './manage-members.ts'

export type DeleteAccountPorts = ManageMembersPorts & {
  teamspaces: Pick<Teamspaces, 'teamspacesOf'>
  users: Pick<Users, 'remove'>
  sessions: Pick<Sessions, 'endAll'>
  planRequests: Pick<PlanRequests, 'find' | 'remove'>
}

/**
 * Ends the memberships, keys and sessions of a person and deletes what is stored about them; audit entries keep the id. `email` confirms it. It
 * may be repeated after an interruption. Throws validation_error if the address is another one, or for the last owner of a teamspace.
 */
export async function deleteAccount(ports: DeleteAccountPorts, user: User, email: string): Promise<void> {
  if (email.toLowerCase() !== user.email.toLowerCase()) throw invalidField('email', `must be ${user.email}, your address`)
  const memberships = await ports.teamspaces.teamspacesOf(user.id)
  await rejectLastOwner(ports, memberships)
  for (const membership of memberships) {
    const { id } = membership.teamspace
    // It has an address.
    if ((await ports.planRequests.find(id))?.by === user.id) await ports.planRequests.remove(id)
    await leaveTeamspace(ports, { ...membership, user })
  }
  // Sessions of a user who does not exist are rejected.
  await ports.users.remove(user.id)
  await ports.sessions.endAll(user.id)
}

/** Before anything is changed. */
async function rejectLastOwner({ teamspaces }: DeleteAccountPorts, memberships: Membership[]): Promise<void> {
  const names: string[] = []
  for (const { teamspace, role } of memberships) {
    if (role !== 'owner') continue
    const owners = (await teamspaces.members(teamspace.id)).filter((member) => member.role === 'owner')
    if (owners.length < 2) names.push(teamspace.name)
  }
  if (names.length === 0) return
  throw new AppError(
    'validation_error',
    `You are the last owner of ${names.join(', ')}. Make another member an owner, or delete the teamspace, first.`,
    { fields: { teamspaces: names } },
  )
}
