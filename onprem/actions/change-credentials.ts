import { z } from 'zod'
import { AppError, invalidField } from '../../shared/errors.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { Attempts } from '../accounts/attempts.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import { GivenPassword, NewPassword, type Passwords } from '../accounts/passwords.ts'
import { Username } from '../accounts/user.ts'
import type { UserStore } from '../accounts/user-store.ts'
import { RevokeKeys } from './manage-users.ts'

export const Credentials = z.strictObject({
  currentPassword: GivenPassword,
  username: Username,
  password: NewPassword,
  revokeKeys: RevokeKeys,
})
export type Credentials = z.infer<typeof Credentials>

export type ChangeCredentialsPorts = {
  users: Pick<UserStore, 'find' | 'hashOf' | 'change'>
  passwords: Pick<Passwords, 'verify' | 'hash'>
  attempts: Pick<Attempts, 'take'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
}

/** Attempts of one user, right or wrong: a stolen session must not allow guessing the password. */
const perUser = { maxAttempts: 10, spanMs: 60_000 }

/** Returns the user's id. Throws forbidden for a key of the install, validation_error for a wrong password, rate_limit_exceeded. */
export async function changeCredentials(
  { users, passwords, attempts, audit, atomically }: ChangeCredentialsPorts,
  caller: Caller,
  { currentPassword, username, password, revokeKeys }: Credentials,
): Promise<string> {
  const id = caller.holder?.userId ?? undefined
  if (id === undefined)
    throw new AppError('forbidden', 'This key belongs to the install and to no user, so it has no password to change.')
  attempts.take(`credentials of ${id}`, perUser)
  const wrong = invalidField('currentPassword', 'is not your password')
  const before = users.hashOf(id)
  if (!(await passwords.verify(currentPassword, before))) throw wrong
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
