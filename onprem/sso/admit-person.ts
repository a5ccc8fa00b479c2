import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import type { SsoIssuer } from '../../shared/schemas/sso-issuer.ts'
import type { Actor, Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { GroupStore } from '../accounts/group-store.ts'
import type { ProvisionedGroups } from '../accounts/provisioned-groups.ts'
import type { ProvisionedUsers } from '../accounts/provisioned-users.ts'
import { takeOver } from '../accounts/take-over.ts'
import type { User } from '../accounts/user.ts'
import type { UserStore } from '../accounts/user-store.ts'
import { type Person, scimClaimOf } from './read-claims.ts'

export type AdmitPersonPorts = {
  users: Pick<UserStore, 'find' | 'findByIssuer' | 'createForIssuer' | 'bind' | 'isBound' | 'change' | 'remove' | 'endSessionOf'>
  groups: Pick<GroupStore, 'setFromIssuer'>
  provisionedUsers: Pick<ProvisionedUsers, 'page' | 'ofUser' | 'move' | 'noteClaim'>
  provisionedGroups: Pick<ProvisionedGroups, 'copyMemberships' | 'leaveOthers' | 'becomeTold'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
  log: Log
}

/** `provisions`: SCIM says who the users and groups of the issuer are. */
type Admission = { entry: SsoIssuer; provisions: boolean; person: Person; by: Actor }

/**
 * The user of a person, found by issuer and subject only, never by a name or an address. At the first sign-in the user is created; if the issuer
 * provisions, it is the provisioned one with the externalId of the person. Role and groups become those of the issuer, if it decides
 * about them. Throws forbidden if the user is disabled, or nobody is provisioned.
 */
export function admitPerson(ports: AdmitPersonPorts, admission: Admission): User {
  const { users, groups, provisionedUsers, provisionedGroups, audit, atomically, log } = ports
  const { entry, provisions, person, by } = admission
  const { issuer, sub, externalId, username, role } = person
  // A join stays, also if the user is disabled.
  const before = atomically(() => (provisions ? joined(ports, admission) : users.findByIssuer(issuer, sub)))
  if (before?.disabled) throw new AppError('forbidden', 'This user is disabled; ask an admin.')
  if (!before && provisions) throw new AppError('forbidden', notProvisioned)
  return atomically(() => {
    const id = before?.id ?? users.createForIssuer({ username, role: role ?? 'member', issuer, sub })
    const user = users.find(id) as User
    if (!before) audit.record({ actor: by, action: 'user.create', subject: user.username })
    if (before && role !== undefined && role !== before.role) {
      try {
        users.change(id, { role })
        audit.record({ actor: by, action: 'user.role', subject: user.username })
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'forbidden') throw error
        log.warn({ user: user.username }, 'the last admin stays an admin, although the issuer says otherwise')
      }
    }
    if (externalId !== undefined) provisionedUsers.noteClaim(id, { issuer, claim: scimClaimOf(entry), value: externalId })
    if (provisions) provisionedGroups.leaveOthers(id)
    else {
      provisionedGroups.becomeTold(entry.name)
      groups.setFromIssuer(id, entry.name, person.groups ?? [])
    }
    return users.find(id) as User
  })
}

const notProvisioned =
  'Your account is not provisioned here yet. If you were given access a moment ago, try again in an hour; otherwise ask an admin.'

/** The user of a person, who gets what SCIM has provisioned for their externalId. Throws forbidden if somebody else has got it. */
function joined(ports: AdmitPersonPorts, { person, by }: Admission): User | undefined {
  const { users, provisionedUsers, audit } = ports
  const { issuer, sub, externalId } = person
  const own = users.findByIssuer(issuer, sub)
  if (externalId === undefined) return own
  const [provisioned] = provisionedUsers.page(issuer, [{ field: 'externalId', value: externalId }], 0, 1).users
  if (!provisioned || provisioned.userId === own?.id) return own
  if (users.isBound(provisioned.userId) || (own && provisionedUsers.ofUser(own.id)))
    throw new AppError('forbidden', 'Another account of the issuer has signed in as your user. Ask an admin to delete that user.')
  if (own) {
    if (takeOver(ports, provisioned, own.id)) audit.record({ actor: by, action: 'user.disabled', subject: own.username })
  }
  // A person who is disabled does not sign in, so nobody is bound.
  else if (provisioned.active) users.bind(provisioned.userId, { issuer, sub })
  const user = users.find(own?.id ?? provisioned.userId) as User
  if (own || provisioned.active) audit.record({ actor: by, action: 'user.join', subject: user.username })
  return user
}
