import { shortText } from '../../shared/schemas/short-text.ts'

export const roles = ['owner', 'admin', 'developer'] as const
export type Role = (typeof roles)[number]
export const plans = ['free', 'team', 'enterprise'] as const
export type Plan = (typeof plans)[number]

/** Names are compared without case. */
export const TeamspaceName = shortText(100).normalize('NFC')
export const UserName = shortText(200).normalize('NFC')
/** The purpose of a key, shown in listings. */
export const KeyName = shortText(100)

/** `name` is spelled as it was created; all other records use this spelling. */
export type Teamspace = { name: string; plan: Plan; createdAt: string }
export type Member = { user: string; role: Role; addedAt: string }
export type ListedKey = { id: string; name: string; prefix: string; createdAt: string; revokedAt: string | null }

/** Teamspaces with their members, keys and libraries. Throws team_not_found for an unknown teamspace. */
export type Teamspaces = {
  /** Throws validation_error if the name is taken or invalid. */
  create(name: string, plan: Plan): Promise<Teamspace>
  find(name: string): Promise<Teamspace | undefined>
  /** Changes the role of an existing member. */
  addMember(teamspace: string, user: string, role: Role): Promise<void>
  members(teamspace: string): Promise<Member[]>
  /** The key itself is returned only here. */
  createKey(teamspace: string, name?: string): Promise<{ id: string; key: string }>
  /** The teamspace of a key. Undefined if it is malformed, unknown or revoked. */
  findKey(key: string): Promise<{ id: string; teamspace: string } | undefined>
  /** False if no key has this id. */
  revokeKey(id: string): Promise<boolean>
  /** Oldest first, including revoked keys. */
  listKeys(teamspace: string): Promise<ListedKey[]>
  /** Adds a library, by its key, to the teamspace's list. The catalog is authoritative for the owner. */
  own(teamspace: string, libraryKey: string): Promise<void>
  disown(teamspace: string, libraryKey: string): Promise<void>
  /** Keys of the libraries in the teamspace's list. */
  owned(teamspace: string): Promise<string[]>
}
