import type { Role } from './teamspaces.ts'

/** An invitation into a teamspace, for the person who has a verified e-mail address. `invitedBy` is the id of a user. */
export type Invite = {
  /** The hash of the token, which is not stored. */
  id: string
  teamspace: string
  email: string
  role: Role
  invitedBy: string
  createdAt: string
  expiresAt: string
}

export type Invites = {
  /** Replaces other invitations of the address into the teamspace. The token is returned only here. Throws team_not_found. */
  create(invite: Pick<Invite, 'teamspace' | 'email' | 'role' | 'invitedBy'>): Promise<Invite & { token: string }>
  /** Undefined if the token is malformed or unknown, or the invitation has expired or was accepted by another user. */
  find(token: string, user: string): Promise<Invite | undefined>
  /** Reserves an invitation for a user. False if it is gone, or reserved for another user. */
  accept(invite: Invite, user: string): Promise<boolean>
  /** Invitations that have not expired, oldest first. */
  list(teamspace: string): Promise<Invite[]>
  /** False if the teamspace has no such invitation. */
  remove(teamspace: string, id: string): Promise<boolean>
}
