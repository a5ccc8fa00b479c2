import { shortText } from '../../shared/short-text.ts'
import type { Role } from '../store/key-store.ts'

export const Username = shortText(64)
  .regex(/^[a-z0-9][a-z0-9._@+-]*$/i, 'must be made of letters, digits and . _ @ + - and begin with a letter or digit')
  .transform((name) => name.toLowerCase())
  .describe('Letters, digits and . _ @ + -; upper and lower case mean the same')

export type User = {
  id: string
  username: string
  role: Role
  disabled: boolean
  /** Still has the password that everybody knows. */
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
  /** Makes the user admin with the password admin where there is no user at all. */
  seed(): void
  /** Whether somebody could sign in with what everybody knows. */
  hasDefaultPair(): boolean
}
