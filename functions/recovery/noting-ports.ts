import { AppError } from '../../shared/errors.ts'
import { printLibraryId } from '../../shared/library.ts'
import type { Invites } from '../access/invites.ts'
import type { Licenses } from '../access/licenses.ts'
import type { Teamspaces } from '../access/teamspaces.ts'
import type { Users } from '../access/users.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { OptOuts } from '../takedown/opt-outs.ts'
import type { Act, Journal } from './journal.ts'

type NotedTeamspaces = Pick<Teamspaces, 'addMember' | 'changeRole' | 'close' | 'membership' | 'removeMember' | 'revokeKey'>

type NotedPorts = {
  catalog: Pick<HostedCatalog, 'remove'>
  invites: Pick<Invites, 'remove'>
  journal: Pick<Journal, 'note'>
  licenses: Pick<Licenses, 'revoke'>
  optOuts: Pick<OptOuts, 'add' | 'lift'>
  teamspaces: NotedTeamspaces
  users: Pick<Users, 'remove'>
}

/** The same ports, which note what a restore of the table must not undo before they change the table. */
export function notingPorts<Ports extends NotedPorts>(ports: Ports): Ports {
  const { catalog, invites, journal, licenses, optOuts, teamspaces, users } = ports
  const noting =
    <Id, Result>(kind: Act['kind'], print: (id: Id) => string, change: (id: Id) => Promise<Result>) =>
    async (id: Id): Promise<Result> => {
      await journal.note({ kind, id: print(id) })
      return change(id)
    }
  return {
    ...ports,
    catalog: { ...catalog, remove: noting('library-removed', printLibraryId, catalog.remove) },
    invites: {
      ...invites,
      async remove(team, id) {
        await journal.note({ kind: 'invite-ended', id: `${team} ${id}` })
        return invites.remove(team, id)
      },
    },
    licenses: { ...licenses, revoke: noting('license-revoked', String, licenses.revoke) },
    optOuts: {
      ...optOuts,
      async add(key, optOut) {
        await journal.note({ kind: 'library-opted-out', id: key })
        await optOuts.add(key, optOut)
      },
      async lift(key) {
        await journal.note({ kind: 'library-opted-out', id: key, to: 'lifted' })
        return optOuts.lift(key)
      },
    },
    teamspaces: {
      ...teamspaces,
      ...notingRoles(teamspaces, journal),
      close: noting('teamspace-deleted', String, teamspaces.close),
      revokeKey: noting('key-revoked', String, teamspaces.revokeKey),
    },
    users: { ...users, remove: noting('account-deleted', String, users.remove) },
  }
}

/** Notes all changes of roles, not only those to a lower one: the last one of a member is the one to repeat. */
function notingRoles(teamspaces: NotedTeamspaces, journal: NotedPorts['journal']) {
  const noteRole = (team: string, user: string, to: string) => journal.note({ kind: 'role-changed', id: `${team} ${user}`, to })
  async function noting(team: string, user: string, to: string, change: () => Promise<void>): Promise<void> {
    await noteRole(team, user, to)
    try {
      await change()
    } catch (error) {
      if (error instanceof AppError) await noteRole(team, user, (await teamspaces.membership(team, user))?.role ?? 'none')
      throw error
    }
  }
  return {
    addMember: (...[team, user, role]: Parameters<Teamspaces['addMember']>) =>
      noting(team, user, role, () => teamspaces.addMember(team, user, role)),
    changeRole: (...[team, user, role]: Parameters<Teamspaces['changeRole']>) =>
      noting(team, user, role, () => teamspaces.changeRole(team, user, role)),
    removeMember: (team: string, user: string) => noting(team, user, 'none', () => teamspaces.removeMember(team, user)),
  }
}
