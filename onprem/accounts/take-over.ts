import { AppError } from '../../shared/errors.ts'
import type { ProvisionedGroups } from './provisioned-groups.ts'
import type { ProvisionedUser, ProvisionedUsers } from './provisioned-users.ts'
import type { UserStore } from './user-store.ts'

export type TakeOverPorts = {
  users: Pick<UserStore, 'find' | 'change' | 'remove'>
  provisionedUsers: Pick<ProvisionedUsers, 'move'>
  provisionedGroups: Pick<ProvisionedGroups, 'copyMemberships'>
}

/**
 * Gives what was provisioned to the user whom the person has from sign-ins before, and removes the one that was made for it. A person who is
 * not active is disabled, unless that is the last admin. Returns whether the person was disabled. Call it in a transaction.
 */
export function takeOver(
  { users, provisionedUsers, provisionedGroups }: TakeOverPorts,
  { id, userId }: ProvisionedUser,
  personId: string,
): boolean {
  const isDisabled = users.find(userId)?.disabled === true
  provisionedGroups.copyMemberships(userId, personId)
  provisionedUsers.move(id, personId)
  users.remove(userId)
  if (!isDisabled) return false
  try {
    users.change(personId, { disabled: true, byIssuer: true })
    return true
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'forbidden') throw error
    return false
  }
}
