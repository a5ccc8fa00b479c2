import { shortText } from '../../shared/schemas/short-text.ts'

export const roles = ['owner', 'admin', 'developer'] as const
export type Role = (typeof roles)[number]
export const plans = ['free', 'team', 'enterprise'] as const
export type Plan = (typeof plans)[number]

/** What a teamspace is called. Names are compared without case. */
export const TeamspaceName = shortText(100).normalize('NFC')
export const UserName = shortText(200).normalize('NFC')
/** What a key is for, in listings. */
export const KeyName = shortText(100)

/** `name` as it was created: what every other record holds. */
export type Teamspace = { name: string; plan: Plan; createdAt: string }
export type Member = { user: string; role: Role; addedAt: string }
export type ListedKey = { id: string; name: string; prefix: string; createdAt: string; revokedAt: string | null }

/** Teamspaces with their members, keys and libraries. Where one is named that does not exist, team_not_found is thrown. */
export type Teamspaces = {
  /** Throws validation_error where the name is taken, or is none. */
  create(name: string, plan: Plan): Promise<Teamspace>
  find(name: string): Promise<Teamspace | undefined>
  /** Gives a member who is there already the new role. */
  addMember(teamspace: string, user: string, role: Role): Promise<void>
  members(teamspace: string): Promise<Member[]>
  /** The only time that the key itself is seen. */
  createKey(teamspace: string, name?: string): Promise<{ id: string; key: string }>
  /** Undefined for a key that is mistyped, unknown or revoked. */
  findKey(key: string): Promise<{ id: string; teamspace: string } | undefined>
  /** False where no key has this id. */
  revokeKey(id: string): Promise<boolean>
  /** Oldest first, revoked ones too. */
  listKeys(teamspace: string): Promise<ListedKey[]>
  /** Lists a library, by its key, as the teamspace's own; the catalog says whose it is. */
  own(teamspace: string, libraryKey: string): Promise<void>
  disown(teamspace: string, libraryKey: string): Promise<void>
  /** Keys of the libraries that are listed as its own. */
  owned(teamspace: string): Promise<string[]>
}
