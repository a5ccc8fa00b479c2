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
 * not active is disabled. Call it in a transaction.
 */
export function takeOver(
  { users, provisionedUsers, provisionedGroups }: TakeOverPorts,
  { id, userId }: ProvisionedUser,
  personId: string,
): void {
  const isDisabled = users.find(userId)?.disabled === true
  provisionedGroups.copyMemberships(userId, personId)
  provisionedUsers.move(id, personId)
  if (isDisabled) users.change(personId, { disabled: true, byIssuer: true })
  users.remove(userId)
}
