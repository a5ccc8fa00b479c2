import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../../shared/log.ts'
import type { Passwords } from './passwords.ts'
import { publicHash } from './user.ts'
import type { UserStore } from './user-store.ts'

type InitialCredentialsPorts = {
  users: UserStore
  passwords: Passwords
  /** True if only this machine can reach the server. */
  loopback: boolean
  /** Prints the password, so it must not be part of the support bundle. */
  log: Log
}

export const initialPasswordFile = (dataDir: string): string => join(dataDir, 'initial-password')

export const initialPasswordWarning = 'The first user still has the initial password: sign in and change it.'

/** True if a server that other machines can reach still has its initial password. */
export const hasInitialPassword = ({ loopback, users }: { loopback: boolean; users: Pick<UserStore, 'initial'> }): boolean =>
  !loopback && users.initial() !== undefined

/** True if the first sign-in is `admin` with the password `admin`. Only this machine can reach such a server. */
export function hasPublicPassword({ loopback, users }: { loopback: boolean; users: Pick<UserStore, 'initial'> }): boolean {
  const initial = loopback ? users.initial() : undefined
  return initial?.username === 'admin' && initial.hash === publicHash
}

/** The first sign-in that is still open: with the public password, or with one that only the operator knows. Empty if there is none. */
export function openFirstSignIn(ports: { loopback: boolean; users: Pick<UserStore, 'initial'> }): 'public' | 'secret' | '' {
  if (hasPublicPassword(ports)) return 'public'
  return ports.users.initial()?.username === 'admin' ? 'secret' : ''
}

/**
 * Creates the user admin of a new install. Replaces the initial password if another one is given, or if it is the public one and other
 * machines can reach the server. A random password is logged once and stored in a file until it is changed.
 */
export async function ensureInitialCredentials(
  { users, passwords, loopback, log }: InitialCredentialsPorts,
  { dataDir, givenPassword }: { dataDir: string; givenPassword: string | undefined },
): Promise<void> {
  const file = initialPasswordFile(dataDir)
  const initial = users.initial()
  const isNew = users.count() === 0
  if (!isNew && !initial) return rmSync(file, { force: true })
  if (givenPassword !== undefined) {
    if (initial && (await passwords.verify(givenPassword, initial.hash))) return
    users.setInitial(await passwords.hash(givenPassword))
    return rmSync(file, { force: true })
  }
  if (loopback) return isNew ? users.setInitial(publicHash) : undefined
  if (initial && initial.hash !== publicHash) return
  const password = randomBytes(15).toString('base64url')
  // The file comes first: a start that is killed in between generates another password.
  rmSync(file, { force: true })
  writeFileSync(file, `${password}\n`, { mode: 0o600, flush: true })
  users.setInitial(await passwords.hash(password))
  const username = users.initial()?.username
  log.warn({ username, password, file }, 'sign in with this initial password and change it; this deletes the file')
}
