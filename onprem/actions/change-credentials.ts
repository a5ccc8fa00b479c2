import { z } from 'zod'
import { AppError, invalidField } from '../../shared/errors.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { Attempts } from '../accounts/attempts.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import { GivenPassword, NewPassword, type Passwords } from '../accounts/passwords.ts'
import { mustChange, Username } from '../accounts/user.ts'
import type { UserStore } from '../accounts/user-store.ts'
import { RevokeKeys } from './manage-users.ts'

export const Credentials = z.strictObject({
  currentPassword: GivenPassword.optional().describe(
    'Required, except for a user who must change the password and signed in with it in the last 15 minutes',
  ),
  username: Username,
  password: NewPassword,
  revokeKeys: RevokeKeys,
})
export type Credentials = z.infer<typeof Credentials>

export type ChangeCredentialsPorts = {
  users: Pick<UserStore, 'find' | 'hashOf' | 'change' | 'sessions'>
  passwords: Pick<Passwords, 'verify' | 'hash'>
  attempts: Pick<Attempts, 'take'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
  now(): Date
}

/** Attempts of one user, right or wrong: a stolen session must not allow guessing the password. */
const perUser = { maxAttempts: 10, spanMs: 60_000 }

/** A user who typed the password this recently and must change it need not type it again. */
const freshMs = 15 * 60_000

/** `sessionId`: the session of the request, if it has one. Returns the user's id. Throws forbidden for a key of the install, validation_error for a wrong password, rate_limit_exceeded. */
export async function changeCredentials(
  ports: ChangeCredentialsPorts,
  caller: Caller,
  { currentPassword, username, password, revokeKeys }: Credentials,
  sessionId: string | undefined,
): Promise<string> {
  const { users, passwords, attempts, audit, atomically } = ports
  const id = caller.holder?.userId ?? undefined
  if (id === undefined)
    throw new AppError('forbidden', 'This key belongs to the install and to no user, so it has no password to change.')
  attempts.take(`credentials of ${id}`, perUser)
  const wrong = invalidField('currentPassword', 'is not your password')
  const before = users.hashOf(id)
  if (currentPassword === undefined) {
    if (!isFirstChange(ports, id, sessionId)) throw invalidField('currentPassword', 'is required')
  } else if (!(await passwords.verify(currentPassword, before))) throw wrong
  const user = users.find(id)
  if (user && mustChange(user) && (await passwords.verify(password, before)))
    throw invalidField('password', 'must not be the one that others may know')
  const hash = await passwords.hash(password)
  // An admin may have set another password meanwhile, to lock out anyone who knows this one.
  if (users.hashOf(id) !== before) throw wrong
  atomically(() => {
    users.change(id, { username, hash, revokeKeys })
    audit.record({ actor: actorOf(caller), action: 'credentials.change', subject: username })
    if (revokeKeys) audit.record({ actor: actorOf(caller), action: 'user.revokeKeys', subject: username })
  })
  return id
}

/** True in the session that began a moment ago with a password that must be changed. */
function isFirstChange({ users, now }: Pick<ChangeCredentialsPorts, 'users' | 'now'>, id: string, sessionId?: string): boolean {
  const session = users.sessions(id).find((session) => session.id === sessionId)
  const user = users.find(id)
  if (!user || !mustChange(user) || session === undefined) return false
  const ageMs = now().getTime() - Date.parse(session.createdAt)
  return ageMs >= 0 && ageMs <= freshMs
}
