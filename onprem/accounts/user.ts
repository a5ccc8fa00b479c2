import { shortText } from '../../shared/schemas/short-text.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { Role } from './key-store.ts'

export const Username = shortText(64)
  .regex(/^[a-z0-9][a-z0-9._@+-]*$/i, 'must consist of letters, digits and . _ @ + - and begin with a letter or digit')
  .transform((name) => name.toLowerCase())
  .describe('Letters, digits and . _ @ + -; case is ignored')

export type User = {
  id: string
  username: string
  role: Role
  disabled: boolean
  /** True while the initial password was not changed. */
  defaultPair: boolean
  /** True while the password is one that someone else set. */
  mustChangePassword: boolean
  createdAt: string
  lastSignInAt: string | null
  /** The issuer at which the user signs in; null for a user with a password. */
  issuer: string | null
  /** True if a sign-in asks for a code or a passkey after the password. */
  hasSecondFactor: boolean
}

const maxDerivedLength = 60

/** A name of the form that user names have, from the first text that has one. */
export function usernameFrom(texts: readonly unknown[]): string {
  for (const text of texts) {
    if (typeof text !== 'string') continue
    const username = text
      .slice(0, 1_000)
      .toLowerCase()
      .replace(/[^a-z0-9._@+-]+/g, '-')
      .replace(/^[^a-z0-9]+/, '')
      .slice(0, maxDerivedLength)
    if (username !== '') return username
  }
  return 'user'
}

/** True if others may know the password: the user has to choose another one before anything else. */
export const mustChange = ({ defaultPair, mustChangePassword }: User): boolean => defaultPair || mustChangePassword

/** True if the user has to add a second factor before anything else. The issuer of a user decides about theirs. */
export const mustAddFactor = (
  { settings }: { settings: Pick<SettingsStore, 'get'> },
  { issuer, hasSecondFactor }: User,
): boolean => issuer === null && !hasSecondFactor && settings.get('accounts.requireSecondFactor')

/** scrypt of `admin`, the initial password while only this machine can reach the server. */
export const publicHash =
  '68f94a52f9136a790df9a6e06b711ec1:80505aa39fb64e289494b27121219d2dbe46512de7dd12be8b4bfcc632846a09f2909ae6109450dfbd53fc09e60e29550c8cada986849300e1ed07c658b8e208'
