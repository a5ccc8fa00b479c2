import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import type { PasswordProof } from '../accounts/accounts.ts'
import type { Attempts } from '../accounts/attempts.ts'
import type { User } from '../accounts/user.ts'
import type { UserStore } from '../accounts/user-store.ts'
import type { FactorStore } from './factor-store.ts'
import type { ShortLived } from './short-lived.ts'
import { stepOfCode } from './totp.ts'

export const SecondStep = z
  .strictObject({
    code: z.string().max(20).optional().describe('The code that the authenticator app shows'),
    recoveryCode: z.string().max(50).optional().describe('One of the recovery codes; it is void then'),
  })
  .refine((step) => Object.values(step).filter((each) => each !== undefined).length === 1, 'must have one field')
export type SecondStep = z.infer<typeof SecondStep>

export const secondSteps = ['code', 'recoveryCode'] as const

export type SecondStepPorts = {
  users: Pick<UserStore, 'find' | 'hashOf'>
  factors: FactorStore
  pendingSignIns: ShortLived<PasswordProof>
  attempts: Attempts
  now(): Date
}

/** A second step that is right, until `use` is called: it returns false if a concurrent request was faster. */
export type CheckedStep = { by: string; use(): boolean }

/** Attempts from one address, right or wrong. */
const perAddress = { maxAttempts: 10, spanMs: 60_000 }
/** Wrong codes of an app. There are a million codes, of which three count, so the second rule is what limits guesses. */
const wrongCodes = [
  { name: 'code', rule: { maxAttempts: 5, spanMs: 5 * 60_000 } },
  { name: 'code of a day', rule: { maxAttempts: 30, spanMs: 24 * 3_600_000 } },
]

/** The user whose password this browser has proved. Throws validation_error if that was long ago, or is no longer true. */
export function pendingUser(ports: SecondStepPorts, token: string | undefined): PasswordProof & { user: User } {
  const proof = token === undefined ? undefined : ports.pendingSignIns.find(token)
  const user = proof && ports.users.find(proof.userId)
  if (!proof || !user || user.disabled || !user.hasSecondFactor || ports.users.hashOf(user.id) !== proof.hash)
    throw new AppError('validation_error', 'This sign-in has ended, or was begun in another browser. Type the password again.')
  return { ...proof, user }
}

/** The ways in which a user can finish a sign-in. */
export function stepsOf({ factors }: Pick<SecondStepPorts, 'factors'>, userId: string): (typeof secondSteps)[number][] {
  const has = { code: factors.app(userId) !== undefined, recoveryCode: factors.recoveryCodes(userId) > 0 }
  return secondSteps.filter((step) => has[step])
}

/** Throws invalid_api_key if the step is wrong, rate_limit_exceeded after too many. */
export function checkSecondStep(ports: SecondStepPorts, { id }: User, step: SecondStep, address: string): CheckedStep {
  ports.attempts.take(`second step from ${address}`, perAddress)
  if (step.code !== undefined) return checkCode(ports, id, step.code)
  return checkRecoveryCode(ports, id, step.recoveryCode ?? '')
}

/** Does not say what is wrong. */
export const wrongStep = (): AppError =>
  new AppError('invalid_api_key', 'This code or passkey is not accepted. Each code counts once: wait for the next one.')

function checkCode({ factors, attempts, now }: SecondStepPorts, userId: string, code: string): CheckedStep {
  for (const { name, rule } of wrongCodes) attempts.take(`${name} of ${userId}`, rule)
  const app = readApp(factors, userId)
  const step = app && stepOfCode(app.secret, code.replaceAll(/\s/g, ''), now())
  if (app === undefined || step === undefined || step <= app.lastStep) throw wrongStep()
  for (const { name } of wrongCodes) attempts.giveBack(`${name} of ${userId}`)
  return { by: 'authenticator app', use: () => factors.useApp(userId, step) }
}

function checkRecoveryCode({ factors }: SecondStepPorts, userId: string, code: string): CheckedStep {
  if (!factors.hasRecoveryCode(userId, code)) throw wrongStep()
  return { by: 'recovery code', use: () => factors.useRecoveryCode(userId, code) }
}

/** A restored install may lack the key of its secrets. */
function readApp(factors: FactorStore, userId: string) {
  try {
    return factors.appSecret(userId)
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'data_damaged') throw cause
    throw new AppError(
      'data_damaged',
      'Codes of authenticator apps cannot be checked: secrets.key is missing or another one. Use a recovery code, or ask an admin.',
      { cause },
    )
  }
}
