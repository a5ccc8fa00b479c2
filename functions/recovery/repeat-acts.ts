import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { Invites } from '../access/invites.ts'
import type { Licenses } from '../access/licenses.ts'
import type { Role, Teamspaces } from '../access/teamspaces.ts'
import type { Users } from '../access/users.ts'
import { type OptOutLibraryPorts, optOutLibrary } from '../jobs/opt-out-library.ts'
import { type RemoveLibraryPorts, removeLibrary } from '../jobs/remove-library.ts'
import { type EraseUsagePorts, eraseUsage } from './erase-usage.ts'
import type { Act, Journal } from './journal.ts'

export type RepeatActsPorts = RemoveLibraryPorts &
  EraseUsagePorts & {
    journal: Pick<Journal, 'since'>
    /** Throws team_not_found. */
    deleteTeamspace(id: string): Promise<void>
    licenses: Pick<Licenses, 'revoke'>
    optOuts: OptOutLibraryPorts['optOuts']
    teamspaces: Pick<Teamspaces, 'addMember' | 'removeMember' | 'revokeKey'>
    invites: Pick<Invites, 'remove'>
    users: Pick<Users, 'remove'>
  }

/** An act that could not be repeated, with the reason. */
export type FailedAct = Act & { message: string }

/** Repeats on a restored table what was done since a time, in order. Each act may be repeated any number of times. */
export async function repeatActs(ports: RepeatActsPorts, since: Date): Promise<{ repeated: number; failed: FailedAct[] }> {
  const acts = await ports.journal.since(since)
  const failed: FailedAct[] = []
  for (const act of acts) {
    await repeat(ports, act).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
      failed.push({ ...act, message: error.message })
    })
  }
  return { repeated: acts.length - failed.length, failed }
}

async function repeat(ports: RepeatActsPorts, { kind, id, to }: Act): Promise<unknown> {
  const [team = '', member = ''] = id.split(' ')
  switch (kind) {
    case 'license-revoked':
      return ports.licenses.revoke(id)
    case 'key-revoked':
      return ports.teamspaces.revokeKey(id)
    case 'teamspace-deleted':
      return ports.deleteTeamspace(id).catch(ifMissing)
    case 'usage-erased':
      return eraseUsage(ports, parseLibraryId(id))
    case 'library-opted-out':
      return to === 'lifted' ? ports.optOuts.lift(libraryKey(parseLibraryId(id))) : repeatOptOut(ports, parseLibraryId(id))
    case 'library-removed':
      return removeLibrary(ports, parseLibraryId(id)).catch(ifMissing)
    case 'role-changed':
      return (
        to === 'none' ? ports.teamspaces.removeMember(team, member) : ports.teamspaces.addMember(team, member, to as Role)
      ).catch(ifMissing)
    case 'invite-ended':
      return ports.invites.remove(team, member)
    case 'account-deleted':
      return ports.users.remove(id)
  }
}

/** The restored table may have it, with who has made it. */
async function repeatOptOut(ports: RepeatActsPorts, id: LibraryId): Promise<void> {
  const before = await ports.optOuts.find(libraryKey(id))
  await optOutLibrary(ports, id, before ?? { by: 'operator', reason: 'repeated after a restore' })
}

const missing = ['team_not_found', 'user_not_found', 'library_not_found', 'tag_not_found']

/** Does nothing about a teamspace, member or library that the restore has not brought back. */
function ifMissing(error: unknown): void {
  if (error instanceof AppError && missing.includes(error.code)) return
  throw error
}
