import { shortText } from '../../shared/schemas/short-text.ts'
import type { Role } from './key-store.ts'

export const Username = shortText(64)
  .regex(/^[a-z0-9][a-z0-9._@+-]*$/i, 'must be made of letters, digits and . _ @ + - and begin with a letter or digit')
  .transform((name) => name.toLowerCase())
  .describe('Letters, digits and . _ @ + -; upper and lower case mean the same')

export type User = {
  id: string
  username: string
  role: Role
  disabled: boolean
  /** Still has the initial password. */
  defaultPair: boolean
  createdAt: string
  lastSignInAt: string | null
}

type Changes = {
  username?: string | undefined
  role?: Role | undefined
  disabled?: boolean | undefined
  hash?: string | undefined
}

/** Users of an install. Who is disabled, deleted or has a new password loses all sessions at once. */
export type UserStore = {
  /** Oldest first. */
  list(): User[]
  count(): number
  /** Undefined where no user has this id. */
  find(id: string): User | undefined
  /** Answers the new id. Throws validation_error where the name is taken. */
  create(user: { username: string; role: Role; hash: string }): string
  /** Throws user_not_found; validation_error where the name is taken; forbidden where no admin would be left. */
  change(id: string, changes: Changes): void
  /** Takes their sessions and keys along. Throws user_not_found, and forbidden where no admin would be left. */
  remove(id: string): void
  /** What is stored of their password. Throws user_not_found. */
  hashOf(id: string): string
  /** The same by the name that somebody signs in with; undefined where nobody has it. */
  hashOfName(username: string): string | undefined
  signedIn(id: string): void
  endSession(token: string): void
  /** The user whose initial password was never changed. */
  initial(): { username: string; hash: string } | undefined
  /** Gives that user another initial password and ends its sessions, or creates the user admin with it. */
  setInitial(hash: string): void
}

/** scrypt of `admin`, the initial password while only this machine can reach the server. */
export const publicHash =
  '68f94a52f9136a790df9a6e06b711ec1:80505aa39fb64e289494b27121219d2dbe46512de7dd12be8b4bfcc632846a09f2909ae6109450dfbd53fc09e60e29550c8cada986849300e1ed07c658b8e208'
