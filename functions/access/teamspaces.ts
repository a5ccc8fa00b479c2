import { shortText } from '../../shared/schemas/short-text.ts'

/** From the highest to the lowest. */
export const roles = ['owner', 'admin', 'developer'] as const
export type Role = (typeof roles)[number]
export const plans = ['free', 'team', 'enterprise'] as const
export type Plan = (typeof plans)[number]
/** The uses of a key, from the narrowest to the widest. */
export const scopes = ['read', 'read+add', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** Names are compared without case. */
export const TeamspaceName = shortText(100).normalize('NFC')
export const UserName = shortText(200).normalize('NFC')
/** True if a role has all rights of another. */
export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) <= roles.indexOf(needed)

/** The purpose of a key, shown in listings. */
export const KeyName = shortText(100)

/** `id` is a UUID that never changes and is never used again. Only commands use `name`, spelled as it was set. */
export type Teamspace = {
  id: string
  name: string
  plan: Plan
  createdAt: string
  /** Its deletion has begun: it has no rights any more, and its name is not free yet. */
  deletedAt?: string
}
export type Member = { user: string; role: Role; addedAt: string }
export type Membership = { teamspace: Teamspace; role: Role }

/** The rights of a key: those of its role, up to its scope. `expiresAt` is in ISO 8601; a key without one never expires. */
export type KeyRights = { role: Role; scope: Scope; expiresAt?: string }
export type TeamspaceKey = KeyRights & { id: string; teamspace: string }
export type ListedKey = KeyRights & {
  id: string
  name: string
  prefix: string
  createdAt: string
  createdBy: string
  /** The member whose key it is; null for a key of an operator. */
  holder: string | null
  /** The last day of use, in UTC. */
  usedDay: string | null
  revokedAt: string | null
}
/** A key of a member, `holder`, ends with the membership, and has no higher role than the member. */
export type NewKey = Partial<KeyRights> & { name?: string; createdBy: string; holder?: string }

/** Teamspaces with their members, keys and libraries. Only `create`, `find` and `rename` take names, the others ids. */
export type Teamspaces = {
  /** Throws validation_error if the name is taken or invalid. `id` must be new. */
  create(name: string, plan: Plan, first?: { id: string; owner: string }): Promise<Teamspace>
  /** The teamspace of a name, also while it is being deleted. */
  find(name: string): Promise<Teamspace | undefined>
  /** Undefined if it is deleted or unknown. */
  get(id: string): Promise<Teamspace | undefined>
  /** In the order of their names. Reads the whole table. */
  list(): Promise<Teamspace[]>
  /** Throws validation_error if the name is taken or invalid, team_not_found. */
  rename(id: string, name: string): Promise<void>
  /** Throws team_not_found. */
  setPlan(id: string, plan: Plan): Promise<void>
  /** Takes the rights of a teamspace, with its keys. Its other data remains, for `forget`. */
  close(id: string): Promise<void>
  /** Removes the members of a closed teamspace, and frees its name. */
  forget(id: string): Promise<void>

  /** Adds a member, or changes the role of one. Throws team_not_found, validation_error for the last owner. */
  addMember(id: string, user: string, role: Role): Promise<void>
  /** Throws user_not_found, validation_error for the last owner. */
  changeRole(id: string, user: string, role: Role): Promise<void>
  /** Throws user_not_found, validation_error for the last owner. */
  removeMember(id: string, user: string): Promise<void>
  members(id: string): Promise<Member[]>
  /** Undefined if the user is no member, or the teamspace is deleted or unknown. */
  membership(id: string, user: string): Promise<Membership | undefined>
  /** In the order of their names. */
  teamspacesOf(user: string): Promise<Membership[]>

  /** The key itself is returned only here. Throws team_not_found, user_not_found if the holder is no member, validation_error. */
  createKey(id: string, key: NewKey): Promise<{ id: string; key: string }>
  /** Also an expired key. Undefined if it is malformed, unknown or revoked, or its holder is no member any more. Records the day of use. */
  findKey(key: string): Promise<TeamspaceKey | undefined>
  /** Undefined if no key has this id. */
  teamspaceOfKey(id: string): Promise<string | undefined>
  /** False if no key has this id. */
  revokeKey(id: string): Promise<boolean>
  /** Oldest first, including revoked and expired keys. */
  listKeys(id: string): Promise<ListedKey[]>

  /** Adds a library, by its key, to the teamspace's list. The catalog decides who owns it, and the list is written before the catalog. */
  own(id: string, libraryKey: string, how: 'added' | 'claim' | 'operator'): Promise<void>
  /** How the teamspace came to a library of its list; undefined if that has no such library. */
  ownership(id: string, libraryKey: string): Promise<'added' | 'claim' | 'operator' | undefined>
  disown(id: string, libraryKey: string): Promise<void>
  /** Keys of the libraries that the teamspace owns, and of some that it owned or was to own. */
  owned(id: string): Promise<string[]>
}
