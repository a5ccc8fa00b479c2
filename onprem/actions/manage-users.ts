import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { requireMatch, type State } from '../../shared/http/etag.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { HostAccounts } from '../accounts/host-accounts.ts'
import { roles } from '../accounts/key-store.ts'
import { NewPassword, type Passwords } from '../accounts/passwords.ts'
import { type User, Username } from '../accounts/user.ts'
import type { UserStore } from '../accounts/user-store.ts'
import type { FactorStore } from '../second-factor/factor-store.ts'

export const NewUser = z.strictObject({ username: Username, password: NewPassword, role: z.enum(roles) })
export type NewUser = z.infer<typeof NewUser>

/** Anyone who knows the old password could have created some. */
export const RevokeKeys = z
  .boolean()
  .optional()
  .describe('Also revokes all keys of the user and ends the access of MCP clients; with a new password they are kept otherwise')

export const UserChange = z.strictObject({
  username: Username.optional(),
  password: NewPassword.optional(),
  role: z.enum(roles).optional(),
  disabled: z.boolean().optional().describe('A disabled user has no access; keys and content are kept'),
  revokeKeys: RevokeKeys,
  hostAccounts: z
    .record(z.string().max(100), shortText(255))
    .optional()
    .describe(
      'All accounts of the user at git hosts, by the names of the hosts in the settings: github, gitlab or a name in git.hosts',
    ),
})
export type UserChange = z.infer<typeof UserChange>

export type ManageUsersPorts = {
  users: Pick<UserStore, 'list' | 'find' | 'create' | 'change' | 'remove' | 'endSessionsOf'>
  hostAccounts: HostAccounts
  factors: Pick<FactorStore, 'removeAll'>
  passwords: Pick<Passwords, 'hash'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
}

/** The values of each user on which a change can be based, by id. */
export const stateOfUsers = ({ users }: Pick<ManageUsersPorts, 'users'>): State =>
  Object.fromEntries(users.list().map(({ id, username, role, disabled }) => [id, { username, role, disabled }]))

/** Returns the new id. Throws validation_error if the name is taken. */
export async function createUser(
  ports: ManageUsersPorts,
  caller: Caller,
  { username, password, role }: NewUser,
): Promise<string> {
  const hash = await ports.passwords.hash(password)
  return ports.atomically(() => {
    const id = ports.users.create({ username, role, hash, mustChangePassword: true })
    record(ports, caller, 'user.create', username)
    return id
  })
}

/**
 * Throws user_not_found, precondition_failed; forbidden if callers disable themselves or no admin would be left; validation_error if the name
 * is taken.
 */
export async function changeUser(
  ports: ManageUsersPorts,
  caller: Caller,
  userId: string,
  { password, hostAccounts, ...changes }: UserChange,
  ifMatch?: string,
): Promise<User> {
  const { id, username, hasSecondFactor } = findUser(ports, userId)
  if (changes.disabled === true) rejectSelf(caller, id, 'disable')
  if (password !== undefined && hasSecondFactor && isSelf(caller, id))
    throw new AppError('forbidden', 'Change your own password under Personal Settings, which asks for a proof.')
  const hash = password === undefined ? undefined : await ports.passwords.hash(password)
  const changed = Object.entries({ ...changes, password, hostAccounts }).filter(
    ([name, value]) => value !== undefined && !(name === 'revokeKeys' && !value),
  )
  ports.atomically(() => {
    requireMatch(ifMatch, stateOfUsers(ports), id)
    ports.users.change(id, { ...changes, hash, mustChangePassword: caller.holder?.userId !== id })
    if (hostAccounts) ports.hostAccounts.set(id, hostAccounts)
    for (const [name] of changed) record(ports, caller, `user.${name}`, username)
  })
  return findUser(ports, id)
}

/** Signs a user out everywhere. Returns the user. Throws user_not_found. */
export function endSessions(ports: ManageUsersPorts, caller: Caller, userId: string): User {
  const user = findUser(ports, userId)
  ports.atomically(() => {
    ports.users.endSessionsOf(user.id)
    record(ports, caller, 'user.endSessions', user.username)
  })
  return user
}

/** Removes the second factor of somebody else who lost it, and ends all sessions. Returns the user. Throws user_not_found, forbidden; not_found without one. */
export function removeSecondFactor(ports: ManageUsersPorts, caller: Caller, userId: string): User {
  const user = findUser(ports, userId)
  if (isSelf(caller, user.id))
    throw new AppError(
      'forbidden',
      'You cannot reset your own second factor; ask another admin, or use "carrel users set NAME --remove-second-factor" on the server.',
    )
  if (!user.hasSecondFactor) throw new AppError('not_found', `${user.username} has no second factor.`)
  ports.atomically(() => {
    ports.factors.removeAll(user.id)
    ports.users.endSessionsOf(user.id)
    record(ports, caller, 'user.removeSecondFactor', user.username)
  })
  return user
}

/** Returns the deleted user. Throws user_not_found, precondition_failed, and forbidden if callers delete themselves or the last admin. */
export function deleteUser(ports: ManageUsersPorts, caller: Caller, userId: string, ifMatch?: string): User {
  const user = findUser(ports, userId)
  rejectSelf(caller, user.id, 'delete')
  ports.atomically(() => {
    requireMatch(ifMatch, stateOfUsers(ports), user.id)
    ports.users.remove(user.id)
    record(ports, caller, 'user.delete', user.username)
  })
  return user
}

function findUser({ users }: Pick<ManageUsersPorts, 'users'>, id: string): User {
  const user = users.find(id)
  if (!user) throw new AppError('user_not_found', 'There is no user with this id.')
  return user
}

const isSelf = ({ holder }: Caller, id: string): boolean => holder?.userId === id

function rejectSelf(caller: Caller, id: string, action: 'delete' | 'disable'): void {
  if (isSelf(caller, id)) throw new AppError('forbidden', `You cannot ${action} yourself; ask another admin.`)
}

const record = ({ audit }: Pick<ManageUsersPorts, 'audit'>, caller: Caller, action: string, subject: string) =>
  audit.record({ actor: actorOf(caller), action, subject })
