import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import type { PasswordProof } from '../accounts/accounts.ts'
import type { Attempts } from '../accounts/attempts.ts'
import type { User } from '../accounts/user.ts'
import type { UserStore } from '../accounts/user-store.ts'
import type { FactorStore } from './factor-store.ts'
import { Assertion, requestOptions, type Site, verifyAssertion } from './passkey-checks.ts'
import type { PasskeyStore } from './passkey-store.ts'
import type { ShortLived } from './short-lived.ts'
import { stepOfCode } from './totp.ts'

export const SecondStep = z
  .strictObject({
    code: z.string().max(20).optional().describe('The code that the authenticator app shows'),
    passkey: Assertion.optional().describe('What the browser returned for the options: `AuthenticationResponseJSON`'),
    recoveryCode: z.string().max(50).optional().describe('One of the recovery codes; it is void then'),
  })
  .refine((step) => Object.values(step).filter((each) => each !== undefined).length === 1, 'must have one field')
export type SecondStep = z.infer<typeof SecondStep>

export const secondSteps = ['passkey', 'code', 'recoveryCode'] as const

export type SecondStepPorts = {
  users: Pick<UserStore, 'find' | 'hashOf'>
  factors: FactorStore
  passkeys: PasskeyStore
  pendingSignIns: ShortLived<PasswordProof>
  passkeyChallenges: ShortLived<PasskeyChallenge>
  attempts: Attempts
  now(): Date
}

/** The text that a passkey has to sign, once. */
export type PasskeyChallenge = { challenge: string }

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
export function pendingUser(ports: SecondStepPorts, token: string): PasswordProof & { user: User } {
  const proof = ports.pendingSignIns.find(token)
  const user = proof && ports.users.find(proof.userId)
  if (!proof || !user || user.disabled || !user.hasSecondFactor || ports.users.hashOf(user.id) !== proof.hash)
    throw new AppError('validation_error', 'This sign-in has ended, or was begun in another browser. Type the password again.')
  return { ...proof, user }
}

/** The ways in which a user can finish a sign-in at this address. */
export function stepsOf(
  { factors, passkeys }: Pick<SecondStepPorts, 'factors' | 'passkeys'>,
  userId: string,
  site: Site,
): (typeof secondSteps)[number][] {
  const has = {
    passkey: passkeys.list(userId).some(({ host }) => host === site.host),
    code: factors.app(userId) !== undefined,
    recoveryCode: factors.recoveryCodes(userId) > 0,
  }
  return secondSteps.filter((step) => has[step])
}

/** The options with which a browser asks for a passkey. Each time with another challenge, which belongs to this pending sign-in. */
export async function passkeyOptions(ports: SecondStepPorts, token: string, userId: string, site: Site) {
  const options = await requestOptions(site, ports.passkeys.list(userId))
  ports.passkeyChallenges.set(challengeKey(token), { challenge: options.challenge })
  return options
}

const challengeKey = (token: string) => `sign-in ${token}`

/** The request of a second step: the cookie of the pending sign-in, the address of the client and that in the browser. */
export type StepRequest = { token: string; address: string; site: Site }

/** Throws invalid_api_key if the step is wrong, rate_limit_exceeded after too many. */
export async function checkSecondStep(
  ports: SecondStepPorts,
  { id }: User,
  step: SecondStep,
  request: StepRequest,
): Promise<CheckedStep> {
  ports.attempts.take(`second step from ${request.address}`, perAddress)
  if (step.passkey !== undefined) return checkPasskey(ports, id, step.passkey, request)
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

async function checkPasskey(
  { passkeys, passkeyChallenges }: SecondStepPorts,
  userId: string,
  assertion: Assertion,
  { token, site }: StepRequest,
): Promise<CheckedStep> {
  const asked = passkeyChallenges.take(challengeKey(token))
  const passkey = passkeys.find(userId, assertion.id)
  const counter = asked && passkey && (await verifyAssertion(site, asked.challenge, passkey, assertion))
  if (counter === undefined) throw wrongStep()
  return { by: `passkey ${passkey?.name}`, use: () => passkeys.use(userId, assertion.id, counter) }
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
