import { randomUUID } from 'node:crypto'
import { AppError, invalidField } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import { type Audit, audited } from '../../access/audit.ts'
import { limitedWork } from '../../access/limited-work.ts'
import { teamspacesOfNetworkRule, userRule } from '../../access/rate-rules.ts'
import type { RequestCounts } from '../../access/request-counts.ts'
import type { Teamspace, Teamspaces } from '../../access/teamspaces.ts'
import type { User } from '../../access/users.ts'
import { type DeleteTeamspacePorts, deleteTeamspace } from '../../admin/delete-teamspace.ts'
import { actor } from './actor.ts'

export type ManageTeamspacesPorts = Omit<DeleteTeamspacePorts, 'teamspaces'> & {
  teamspaces: DeleteTeamspacePorts['teamspaces'] & Pick<Teamspaces, 'create' | 'find' | 'rename'>
  requestCounts: RequestCounts
  audit: Pick<Audit, 'begin'>
  log: Log
  now(): Date
}

/** Per person and day. */
const maxCreated = 10

/**
 * A free teamspace with the user as its owner. `network` is the hash of the user's network, because one person may sign in as many.
 * Throws validation_error if the name is taken, rate_limit_exceeded.
 */
export async function createTeamspace(
  ports: ManageTeamspacesPorts,
  user: User,
  network: string,
  name: string,
): Promise<Teamspace> {
  const { audit, log, now, requestCounts: counts, teamspaces } = ports
  const limiting = { counts, log, now }
  const ofUser = userRule(user.id, { name: 'teamspaces', what: 'create # teamspaces a day', max: maxCreated }, now())
  const create = async () => {
    if (await teamspaces.find(name)) throw nameTaken(name)
    const id = randomUUID()
    const change = { who: actor(user), what: 'createTeamspace', teamspace: id, after: { name } }
    return audited(audit, change, () => teamspaces.create(name, 'free', { id, owner: user.id }))
  }
  return limitedWork(limiting, ofUser, () => limitedWork(limiting, teamspacesOfNetworkRule(network, now()), create))
}

const nameTaken = (name: string) =>
  new AppError('validation_error', `There is already a teamspace "${name}". Choose another name.`)

/** Throws validation_error if the name is taken. */
export async function renameTeamspace(
  { audit, teamspaces }: ManageTeamspacesPorts,
  user: User,
  teamspace: Teamspace,
  name: string,
): Promise<Teamspace> {
  const { id } = teamspace
  const change = { who: actor(user), what: 'renameTeamspace', teamspace: id, before: { name: teamspace.name }, after: { name } }
  await audited(audit, change, () => teamspaces.rename(id, name))
  return { ...teamspace, name }
}

/** Deletes a teamspace with its data. `name` confirms it. Throws validation_error if it is another name, job_active. */
export async function deleteOwnTeamspace(
  ports: ManageTeamspacesPorts,
  user: User,
  { id, name }: Teamspace,
  confirmation: string,
): Promise<void> {
  if (confirmation !== name) throw invalidField('name', `must be ${name}, the name of the teamspace that is deleted`)
  await audited(ports.audit, { who: actor(user), what: 'deleteTeamspace', teamspace: id, before: { name } }, () =>
    deleteTeamspace(ports, id),
  )
}
