import type { Audit, AuditEntry } from '../../access/audit.ts'
import type { Invite, Invites } from '../../access/invites.ts'
import type { ListedSession, Sessions } from '../../access/sessions.ts'
import type { ListedKey, Membership, Role, Teamspaces } from '../../access/teamspaces.ts'
import type { User } from '../../access/users.ts'
import { actor } from '../actions/actor.ts'

export type AccountDataPorts = {
  teamspaces: Pick<Teamspaces, 'teamspacesOf' | 'members' | 'listKeys'>
  sessions: Pick<Sessions, 'list'>
  invites: Pick<Invites, 'list'>
  audit: Pick<Audit, 'latest'>
}

type TeamspaceData = {
  id: string
  name: string
  role: Role
  since: string | undefined
  /** Without the keys themselves, which are not stored. */
  keys: ListedKey[]
  /** Open invitations that the person has sent. */
  invites: Invite[]
  /** The latest changes that the person has made. */
  audit: AuditEntry[]
}

export type AccountData = { user: User; sessions: ListedSession[]; teamspaces: TeamspaceData[] }

/** Read entries of a teamspace. */
const maxAudit = 1_000

/** Everything that is stored about a person, as one document. */
export async function accountData(ports: AccountDataPorts, user: User): Promise<AccountData> {
  const teamspaces: TeamspaceData[] = []
  for (const membership of await ports.teamspaces.teamspacesOf(user.id))
    teamspaces.push(await teamspaceData(ports, user, membership))
  return { user, sessions: await ports.sessions.list(user.id), teamspaces }
}

async function teamspaceData(
  { audit, invites, teamspaces }: AccountDataPorts,
  user: User,
  { teamspace: { id, name }, role }: Membership,
): Promise<TeamspaceData> {
  const [members, keys, sent, entries] = await Promise.all([
    teamspaces.members(id),
    teamspaces.listKeys(id),
    invites.list(id),
    audit.latest(id, maxAudit),
  ])
  return {
    id,
    name,
    role,
    since: members.find((member) => member.user === user.id)?.addedAt,
    keys: keys.filter(({ holder }) => holder === user.id),
    invites: sent.filter(({ invitedBy }) => invitedBy === user.id),
    audit: entries.filter(({ who }) => who === actor(user)),
  }
}
