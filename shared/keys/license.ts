import { createPrivateKey, createPublicKey } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { BaseUrl } from '../schemas/base-url.ts'
import { lineOfText } from '../schemas/short-text.ts'
import { utcDay } from '../time/utc-day.ts'

export const licenseKinds = ['offline', 'online'] as const

/** The right of an install to import bundles (offline) or to use the hosted service (online). */
export type License = {
  id: string
  customer: string
  kind: (typeof licenseKinds)[number]
  /** ISO 8601. */
  expiresAt: string
  /** Root address of the hosted service, without a trailing slash. */
  cloudUrl?: string
  teamspace?: string
}

/** The last second that a Date can represent. */
const latestS = 8_640_000_000_000

const algorithm = 'EdDSA'
/** The type of the token, so that nothing else signed with the same key is accepted as a license. */
const tokenType = 'carrel-license+jwt'

/** The name of a customer or a teamspace. */
export const LicenseName = lineOfText(200)

const Claims = z.object({
  jti: LicenseName,
  sub: LicenseName,
  kind: z.enum(licenseKinds),
  exp: z.int().positive().max(latestS),
  cloudUrl: BaseUrl.optional(),
  teamspace: LicenseName.optional(),
})

/** The license as a compact JWS, signed with an Ed25519 private key in PEM. Expiry has a precision of one second. */
export async function signLicense(license: License, privatePem: string): Promise<string> {
  const { SignJWT } = await import('jose')
  const { id, customer, kind, expiresAt, cloudUrl, teamspace } = license
  return new SignJWT({ kind, cloudUrl, teamspace })
    .setProtectedHeader({ alg: algorithm, typ: tokenType })
    .setJti(id)
    .setSubject(customer)
    .setExpirationTime(new Date(expiresAt))
    .sign(createPrivateKey(privatePem))
}

/** Verifies a license offline with the public keys. Throws forbidden with the reason if it is not valid. */
export async function verifyLicense(token: string, publicPems: readonly string[], now: Date): Promise<License> {
  if (token.trim() === '') throw new AppError('forbidden', 'The license is missing: set LICENSE_KEY.')
  const payload = await verifySignature(token.trim(), publicPems, now)
  const claims = Claims.safeParse(payload)
  if (!claims.success) throw forged('its content is not a license', claims.error)
  const { jti, sub, kind, exp, cloudUrl, teamspace } = claims.data
  return { id: jti, customer: sub, kind, expiresAt: new Date(exp * 1000).toISOString(), cloudUrl, teamspace }
}

/** Also true for a time that cannot be read. */
export const isExpired = (license: Pick<License, 'expiresAt'>, now: Date): boolean => !(new Date(license.expiresAt) > now)

async function verifySignature(token: string, publicPems: readonly string[], now: Date): Promise<unknown> {
  const { errors, jwtVerify } = await import('jose')
  for (const pem of publicPems) {
    try {
      const options = { algorithms: [algorithm], typ: tokenType, currentDate: now, requiredClaims: ['exp'] }
      return (await jwtVerify(token, createPublicKey(pem), options)).payload
    } catch (error) {
      if (error instanceof errors.JWSSignatureVerificationFailed) continue
      if (error instanceof errors.JWTExpired) {
        const on = Number(error.payload.exp)
        const when = Math.abs(on) <= latestS ? ` on ${utcDay(on * 1000)}` : ''
        throw new AppError('forbidden', `The license in LICENSE_KEY expired${when}.`, { cause: error })
      }
      if (error instanceof errors.JOSEError) throw forged('it is not a signed license', error)
      throw error
    }
  }
  throw forged('it is not signed with a key that this install trusts')
}

const forged = (why: string, cause?: unknown) =>
  new AppError('forbidden', `The license in LICENSE_KEY is forged or damaged: ${why}.`, { cause })
