import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import type { FairLimit } from '../../shared/time/fair-limit.ts'
import { unlessAborted } from '../../shared/time/unless-aborted.ts'
import type { Accounts, PasswordProof } from './accounts.ts'
import type { Attempts } from './attempts.ts'
import type { Backoff } from './backoff.ts'
import { GivenPassword } from './passwords.ts'

export const SignIn = z.strictObject({ username: z.string().trim().max(200), password: GivenPassword })
export type SignIn = z.infer<typeof SignIn>

export type SignInPorts = {
  accounts: Pick<Accounts, 'checkPassword'>
  attempts: Pick<Attempts, 'take'>
  backoff: Backoff
  signIns: Pick<FairLimit, 'run'>
}

/** The source of a request. */
type Origin = { address: string; proxy: string | undefined }

/** Attempts from one address, right or wrong. */
const perAddress = { maxAttempts: 10, spanMs: 60_000 }

/** Checks a password. Slows down when the password of a user is guessed. Throws invalid_api_key, forbidden, rate_limit_exceeded. */
export async function signIn(
  { accounts, attempts, backoff, signIns }: SignInPorts,
  pair: SignIn,
  { address, proxy }: Origin,
  signal: AbortSignal,
): Promise<PasswordProof> {
  attempts.take(`sign-in from ${address}`, perAddress)
  const attempt = { username: pair.username, address, proxy }
  const holdMs = backoff.begin(attempt)
  const compare = async () => {
    await unlessAborted(sleep(holdMs), signal)
    const line = backoff.knows(attempt) ? 'first' : 'second'
    return signIns.run(() => accounts.checkPassword(pair), signal, line)
  }
  const proof = await compare().catch((error: unknown) => {
    const isWrong = error instanceof AppError && error.code === 'invalid_api_key'
    if (!isWrong) backoff.withdraw(attempt)
    throw error
  })
  backoff.succeeded(attempt)
  return proof
}
