import pLimit from 'p-limit'
import { z } from 'zod'
import { type Turns, turns } from '../../shared/time/turns.ts'
import { tooMany } from './attempts.ts'

const shortest = 8
const longest = 256

/** A password that a person chooses. */
export const NewPassword = z
  .string()
  .min(shortest, `must have at least ${shortest} characters`)
  .max(longest, `must not be longer than ${longest} characters`)
  .describe(`At least ${shortest} characters`)

/** A password that somebody claims to be the right one. */
export const GivenPassword = z.string().min(1).max(longest, 'is too long')

export type Passwords = {
  hash(password: string): Promise<string>
  verify(password: string, hash: string): Promise<boolean>
}

/** A hash takes 32 MB and a thread of the four that files are read with. */
const atOnce = 2
const maxWaiting = 30

/** Sign-ins that are compared and wait. A crowd of strangers leaves places to people who have signed in from their address before. */
export const signInTurns = (): Turns =>
  turns({
    atOnce,
    maxWaiting,
    maxSecondWaiting: maxWaiting / 2,
    refusal: () => tooMany(1_000, atOnce + maxWaiting),
  })

/** Hashes by scrypt, few at a time. Throws rate_limit_exceeded where too many wait already. */
export function scryptPasswords(): Passwords {
  const limit = pLimit(atOnce)
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.pendingCount >= maxWaiting) throw tooMany(1_000, atOnce + maxWaiting)
    return limit(work)
  }
  return {
    hash: async (password) => {
      const { hashPassword } = await import('better-auth/crypto')
      return inTurn(() => hashPassword(password))
    },
    verify: async (password, hash) => {
      const { verifyPassword } = await import('better-auth/crypto')
      return inTurn(() => verifyPassword({ password, hash }))
    },
  }
}
