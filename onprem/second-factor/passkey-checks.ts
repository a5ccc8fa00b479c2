import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import type { Passkey, PasskeyKey } from './passkey-store.ts'

/** The address in the browser. */
export type Site = { origin: string; host: string }

const Base64Url = z.string().max(8_000)
/** Browsers may add fields. */
const Credential = { id: z.string().min(1).max(2_000), rawId: z.string().max(2_000), type: z.literal('public-key') }

/** The answer of a browser with a new passkey: `RegistrationResponseJSON`. */
export const NewCredential = z.looseObject({
  ...Credential,
  response: z.looseObject({
    clientDataJSON: Base64Url,
    attestationObject: Base64Url,
    transports: z.array(z.string().max(30)).max(10).optional(),
  }),
})
export type NewCredential = z.infer<typeof NewCredential>

/** The answer of a browser at a sign-in: `AuthenticationResponseJSON`. */
export const Assertion = z.looseObject({
  ...Credential,
  response: z.looseObject({ clientDataJSON: Base64Url, authenticatorData: Base64Url, signature: Base64Url }),
})
export type Assertion = z.infer<typeof Assertion>

/** EdDSA, ES256 and RS256 (COSE). Every authenticator has one of them. */
const supportedAlgorithmIDs = [-8, -7, -257]

/** Loaded when the first passkey is used. */
const library = () => import('@simplewebauthn/server')

const known = (passkeys: Passkey[], { host }: Site) => passkeys.filter((each) => each.host === host).map(({ id }) => ({ id }))

/** The options for `navigator.credentials.create`. Throws validation_error for an address without a host name. */
export async function creationOptions(site: Site, user: { id: string; username: string }, passkeys: Passkey[]) {
  if (isIP(site.host.replace(/^\[|\]$/g, '')) !== 0)
    throw new AppError(
      'validation_error',
      'A passkey is for a host name. Open this server under its name instead of its IP address.',
    )
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'Carrel',
    rpID: site.host,
    userName: user.username,
    userID: new TextEncoder().encode(user.id),
    attestationType: 'none',
    supportedAlgorithmIDs,
    excludeCredentials: known(passkeys, site),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
}

/** The options for `navigator.credentials.get`. */
export async function requestOptions(site: Site, passkeys: Passkey[]) {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: site.host,
    allowCredentials: known(passkeys, site),
    userVerification: 'preferred',
  })
}

/** The new passkey. Throws validation_error if it was not made for this challenge and this address. */
export async function readNewPasskey(
  site: Site,
  challenge: string,
  name: string,
  response: NewCredential,
): Promise<PasskeyKey & { id: string }> {
  const { verifyRegistrationResponse } = await library()
  const { registrationInfo } = await verifyRegistrationResponse({
    response: response as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    requireUserVerification: false,
    supportedAlgorithmIDs,
  }).catch((cause: unknown) => {
    throw invalidPasskey(cause)
  })
  if (registrationInfo === undefined) throw invalidPasskey()
  const { id, publicKey, counter } = registrationInfo.credential
  const transports = response.response.transports ?? []
  return { id, name, host: site.host, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports }
}

/** The new signature counter. Undefined if the passkey has not signed this challenge for this address, or its counter has not grown. */
export async function verifyAssertion(
  site: Site,
  challenge: string,
  passkey: PasskeyKey,
  response: Assertion,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library()
  const result = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    credential: { id: response.id, publicKey: Buffer.from(passkey.publicKey, 'base64url'), counter: passkey.counter },
    requireUserVerification: false,
  }).catch(() => undefined)
  return result?.verified ? result.authenticationInfo.newCounter : undefined
}

const invalidPasskey = (cause?: unknown): AppError =>
  new AppError('validation_error', 'This is not a new passkey for this address, or it took more than ten minutes. Begin again.', {
    cause,
  })
