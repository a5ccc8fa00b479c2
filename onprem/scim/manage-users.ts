import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { ProvisionedGroups } from '../accounts/provisioned-groups.ts'
import type { ProvisionedUser, ProvisionedUsers } from '../accounts/provisioned-users.ts'
import { takeOver } from '../accounts/take-over.ts'
import { usernameFrom } from '../accounts/user.ts'
import type { UserStore } from '../accounts/user-store.ts'
import type { ScimIssuer } from './issuer.ts'
import { type Attributes, externalIdOf, readResource, textOf } from './read-body.ts'
import { readPatch, rejectReadOnly } from './read-patch.ts'
import { invalid, ScimError } from './scim-error.ts'
import { userSchema } from './user-resource.ts'

export type ManageUsersPorts = {
  users: Pick<UserStore, 'find' | 'findByIssuer' | 'createUnbound' | 'isBound' | 'renameAsFree' | 'change' | 'remove'>
  provisionedUsers: ProvisionedUsers
  provisionedGroups: Pick<ProvisionedGroups, 'copyMemberships'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
}

/** Undefined is left as it is; the rest of what a provider sends is not stored. */
type UserChange = { userName?: string | undefined; externalId?: string | null | undefined; active?: boolean | undefined }

/** Creates a user, or takes over one who has signed in before. Throws ScimError. */
export function createUser(ports: ManageUsersPorts, issuer: ScimIssuer, body: unknown): ProvisionedUser {
  const { users, provisionedUsers, atomically } = ports
  const attributes = readResource(body, userSchema)
  const names = {
    userName: textOf('userName', attributes.get('username')),
    externalId: externalIdOf(attributes.get('externalid')) ?? null,
  }
  const active = activeOf(attributes.get('active'))
  return atomically(() => {
    rejectTaken(ports, issuer, names)
    const knownId = personOf(ports, issuer, names.externalId)
    const userId = knownId ?? users.createUnbound({ username: usernameFrom([names.userName]), role: 'member' })
    const id = provisionedUsers.add(issuer.address, userId, names)
    record(ports, issuer, knownId === undefined ? 'user.create' : 'user.provision', userId)
    if (active !== undefined) setActive(ports, issuer, userId, active)
    return findUser(ports, issuer, id)
  })
}

/** Throws ScimError. */
export function replaceUser(ports: ManageUsersPorts, issuer: ScimIssuer, id: string, body: unknown): ProvisionedUser {
  return changeUser(ports, issuer, id, () => changeOf(readResource(body, userSchema)))
}

/** Throws ScimError. */
export function patchUser(ports: ManageUsersPorts, issuer: ScimIssuer, id: string, body: unknown): ProvisionedUser {
  return changeUser(ports, issuer, id, () => readUserPatch(body, id))
}

/** Deletes a user with their keys and sessions. Throws ScimError, and forbidden for the last admin. */
export function deleteUser(ports: ManageUsersPorts, issuer: ScimIssuer, id: string): void {
  ports.atomically(() => {
    const { userId } = findUser(ports, issuer, id)
    record(ports, issuer, 'user.delete', userId)
    ports.users.remove(userId)
  })
}

/** Throws ScimError if the issuer has not provisioned such a user. */
export function findUser(
  { provisionedUsers }: Pick<ManageUsersPorts, 'provisionedUsers'>,
  issuer: ScimIssuer,
  id: string,
): ProvisionedUser {
  const user = provisionedUsers.find(issuer.address, id)
  if (!user) throw new ScimError(404, 'There is no user with this id.')
  return user
}

/** A provider that puts a resource back sends all attributes that it knows, so one that it does not send is left as it is. */
const changeOf = (attributes: Attributes): UserChange => ({
  userName: textOf('userName', attributes.get('username')),
  externalId: externalIdOf(attributes.get('externalid')),
  active: activeOf(attributes.get('active')),
})

function readUserPatch(body: unknown, id: string): UserChange {
  const change: UserChange = {}
  for (const operation of readPatch(body)) {
    rejectReadOnly(operation, id)
    const { op, path, value } = operation
    switch (path.attribute) {
      case 'username':
        if (op === 'remove') throw invalid('mutability', 'userName cannot be removed.')
        change.userName = textOf('userName', value)
        break
      case 'externalid':
        change.externalId = op === 'remove' ? null : externalIdOf(value)
        break
      case 'active':
        if (op === 'remove') throw invalid('mutability', 'active cannot be removed.')
        change.active = activeOf(value)
        break
    }
  }
  return change
}

/** Microsoft sends the texts "True" and "False". */
function activeOf(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined
  const text = String(value).toLowerCase()
  if (typeof value === 'boolean' || (typeof value === 'string' && (text === 'true' || text === 'false'))) return text === 'true'
  throw invalid('invalidValue', 'active must be true or false.')
}

function changeUser(ports: ManageUsersPorts, issuer: ScimIssuer, id: string, read: () => UserChange): ProvisionedUser {
  const { users, provisionedUsers, atomically } = ports
  findUser(ports, issuer, id)
  const change = read()
  return atomically(() => {
    const before = findUser(ports, issuer, id)
    const names = {
      userName: change.userName ?? before.userName,
      externalId: change.externalId === undefined ? before.externalId : change.externalId,
    }
    if (names.userName !== before.userName || names.externalId !== before.externalId) {
      rejectTaken(ports, issuer, names, id)
      provisionedUsers.change(id, names)
      if (names.userName !== before.userName) {
        users.renameAsFree(before.userId, usernameFrom([names.userName]))
        record(ports, issuer, 'user.username', before.userId)
      }
      if (names.externalId !== before.externalId) changeExternalId(ports, issuer, before, names.externalId)
    }
    const { userId } = findUser(ports, issuer, id)
    if (change.active !== undefined) setActive(ports, issuer, userId, change.active)
    return findUser(ports, issuer, id)
  })
}

/** Another person must not get the keys of the one who has signed in. */
function changeExternalId(ports: ManageUsersPorts, issuer: ScimIssuer, before: ProvisionedUser, externalId: string | null): void {
  const { users } = ports
  const personId = personOf(ports, issuer, externalId)
  if (users.isBound(before.userId)) {
    if (externalId !== null && personId !== before.userId)
      throw invalid('mutability', 'Somebody has signed in as this user, so its externalId cannot become that of another person.')
  } else if (personId !== undefined && takeOver(ports, before, personId)) record(ports, issuer, 'user.disabled', personId)
  record(ports, issuer, 'user.externalId', personId ?? before.userId)
}

/** The user of the person with this externalId who has signed in and whom the issuer has not provisioned. */
function personOf(
  { users, provisionedUsers }: ManageUsersPorts,
  { address, claim }: ScimIssuer,
  externalId: string | null,
): string | undefined {
  if (externalId === null) return undefined
  return claim === 'sub'
    ? users.findByIssuer(address, externalId)?.id
    : provisionedUsers.userOfClaim({ issuer: address, claim, value: externalId })
}

function setActive(ports: ManageUsersPorts, issuer: ScimIssuer, userId: string, active: boolean): void {
  const { users } = ports
  const before = users.find(userId)?.disabled
  users.change(userId, { disabled: !active, byIssuer: true })
  if (users.find(userId)?.disabled !== before) record(ports, issuer, 'user.disabled', userId)
}

type Names = { userName: string; externalId: string | null }

function rejectTaken(ports: ManageUsersPorts, issuer: ScimIssuer, { userName, externalId }: Names, id?: string): void {
  const { provisionedUsers } = ports
  const isTaken = (field: 'userName' | 'externalId', value: string) =>
    provisionedUsers.page(issuer.address, [{ field, value }], 0, 1).users.some((user) => user.id !== id)
  if (isTaken('userName', userName)) throw new ScimError(409, 'There is a user with this userName.', 'uniqueness')
  if (externalId === null) return
  if (isTaken('externalId', externalId)) throw new ScimError(409, 'There is a user with this externalId.', 'uniqueness')
  const personId = personOf(ports, issuer, externalId)
  const owner = personId === undefined ? undefined : provisionedUsers.ofUser(personId)
  if (owner !== undefined && owner.id !== id)
    throw new ScimError(409, 'The person with this externalId has another provisioned user.', 'uniqueness')
}

const record = (
  { audit, users }: Pick<ManageUsersPorts, 'audit' | 'users'>,
  { actor }: ScimIssuer,
  action: string,
  userId: string,
) => audit.record({ actor, action, subject: users.find(userId)?.username ?? userId })
