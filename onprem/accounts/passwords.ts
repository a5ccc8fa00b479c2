import pLimit from 'p-limit'
import { z } from 'zod'
import { type FairLimit, fairLimit } from '../../shared/time/fair-limit.ts'
import { tooMany } from './attempts.ts'

const minLength = 8
const maxLength = 256

/** A password that a user chooses. */
export const NewPassword = z
  .string()
  .min(minLength, `must have at least ${minLength} characters`)
  .max(maxLength, `must not be longer than ${maxLength} characters`)
  .describe(`At least ${minLength} characters`)

/** A password to verify. */
export const GivenPassword = z.string().min(1).max(maxLength, 'is too long')

export type Passwords = {
  hash(password: string): Promise<string>
  verify(password: string, hash: string): Promise<boolean>
}

/** A hash takes 32 MB and one of the four threads that also read files. */
const atOnce = 2
const maxWaiting = 30

/** Limits concurrent and waiting sign-ins. Half of the waiting places are reserved for users who have signed in from their address before. */
export const signInLimit = (): FairLimit =>
  fairLimit({
    maxRunning: atOnce,
    maxWaiting,
    maxSecondWaiting: maxWaiting / 2,
    rejection: () => tooMany(1_000, atOnce + maxWaiting),
  })

export const scryptPasswords: Passwords = {
  hash: async (password) => (await import('better-auth/crypto')).hashPassword(password),
  verify: async (password, hash) => (await import('better-auth/crypto')).verifyPassword({ password, hash }),
}

/** Hashes a few passwords at a time. Throws rate_limit_exceeded if too many are waiting. */
export function limitedPasswords({ hash, verify }: Passwords): Passwords {
  const limit = pLimit(atOnce)
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.pendingCount >= maxWaiting) throw tooMany(1_000, atOnce + maxWaiting)
    return limit(work)
  }
  return {
    hash: async (password) => inTurn(() => hash(password)),
    verify: async (password, known) => inTurn(() => verify(password, known)),
  }
}
