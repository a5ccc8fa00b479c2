import { AppError, invalidField } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import { type Audit, audited } from '../../access/audit.ts'
import { limitedWork } from '../../access/limited-work.ts'
import { userRule } from '../../access/rate-rules.ts'
import type { RequestCounts } from '../../access/request-counts.ts'
import type { KeyRights, Teamspaces } from '../../access/teamspaces.ts'
import type { Acting } from '../access/acting.ts'
import { requireRole } from '../access/guards.ts'
import { actor } from './actor.ts'

export type ManageTeamKeysPorts = {
  teamspaces: Pick<Teamspaces, 'createKey' | 'listKeys' | 'revokeKey'>
  requestCounts: RequestCounts
  audit: Pick<Audit, 'begin'>
  log: Log
  now(): Date
}

/** Per person and day. */
const maxCreated = 50

/** A key of the acting member. Throws forbidden if its role is higher than the own one, validation_error, rate_limit_exceeded. */
export async function createTeamKey(
  ports: ManageTeamKeysPorts,
  { teamspace: { id: team }, user, role: own }: Acting,
  { name, role = own, scope = 'read', expiresAt }: Partial<KeyRights> & { name: string },
): Promise<{ id: string; key: string }> {
  const { audit, log, now, requestCounts: counts, teamspaces } = ports
  requireRole(own, role)
  if (expiresAt !== undefined && new Date(expiresAt) <= now()) throw invalidField('expiresAt', 'must be in the future')
  const rights = { role, scope, ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }) }
  const rule = userRule(user.id, { name: 'keys', what: 'create # keys a day', max: maxCreated }, now())
  const change = { who: actor(user), what: 'createKey', teamspace: team, after: { name, ...rights } }
  return limitedWork({ counts, log, now }, rule, () =>
    audited(audit, change, () => teamspaces.createKey(team, { ...rights, name, createdBy: actor(user), holder: user.id })),
  )
}

/** Members revoke their own keys, admins all. Throws not_found, forbidden. */
export async function revokeTeamKey(
  { audit, teamspaces }: ManageTeamKeysPorts,
  { teamspace: { id: team }, user, role }: Acting,
  id: string,
): Promise<void> {
  const key = (await teamspaces.listKeys(team)).find((each) => each.id === id)
  if (key === undefined) throw new AppError('not_found', 'The teamspace has no such key.')
  if (key.holder !== user.id) requireRole(role, 'admin')
  const before = { key: id, name: key.name }
  await audited(audit, { who: actor(user), what: 'revokeKey', teamspace: team, before }, () => teamspaces.revokeKey(id))
}
