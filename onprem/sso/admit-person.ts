import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import type { Actor, Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { GroupStore } from '../accounts/group-store.ts'
import type { User } from '../accounts/user.ts'
import type { UserStore } from '../accounts/user-store.ts'
import type { Person } from './read-claims.ts'

export type AdmitPersonPorts = {
  users: Pick<UserStore, 'find' | 'findByIssuer' | 'createForIssuer' | 'change' | 'endSessionOf'>
  groups: Pick<GroupStore, 'setFromIssuer'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
  log: Log
}

/**
 * The user of a person, who is created at the first sign-in and then found by issuer and subject only, never by a name or an address. Role and
 * groups become those of the issuer, if it decides about them. Throws forbidden if the user is disabled. `name` is
 * that of the issuer in the settings, which begins the names of its groups.
 */
export function admitPerson(ports: AdmitPersonPorts, name: string, person: Person, by: Actor): User {
  const { users, groups, audit, atomically, log } = ports
  const { issuer, sub, username, role } = person
  return atomically(() => {
    const before = users.findByIssuer(issuer, sub)
    if (before?.disabled) throw new AppError('forbidden', 'This user is disabled; ask an admin.')
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
    groups.setFromIssuer(id, name, person.groups ?? [])
    return users.find(id) as User
  })
}
