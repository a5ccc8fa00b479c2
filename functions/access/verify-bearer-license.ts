import { AppError } from '../../shared/errors.ts'
import { keyPrefixes } from '../../shared/keys/api-key.ts'
import { type License, verifyLicense } from '../../shared/keys/license.ts'
import type { Licenses } from './licenses.ts'

export type LicensePorts = {
  licenses: Pick<Licenses, 'isRevoked'>
  /** Public keys in PEM that verify licenses: the vendor's; in development the install's own and the trusted ones. */
  publicPems(): Promise<readonly string[]>
  now(): Date
}

/**
 * The license that a request sends. A license that was never recorded here is valid, a revoked one is not. Throws invalid_api_key;
 * the message gives the reason only if the signature is valid.
 */
export async function verifyBearerLicense({ licenses, publicPems, now }: LicensePorts, token: string): Promise<License> {
  const pems = await publicPems()
  const license = await verifyLicense(token, pems, now()).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'forbidden' ? rejected(error) : error
  })
  if (await licenses.isRevoked(license.id)) {
    throw new AppError('invalid_api_key', `This license was revoked. Ask the vendor for a new one, or ${sendKey}.`)
  }
  return license
}

const sendKey = `send the key of a teamspace, which begins with ${keyPrefixes.hosted}`

/** The error for any invalid key. */
export const unknownKey = (cause?: unknown): AppError =>
  new AppError(
    'invalid_api_key',
    `The key or license is unknown. Keys of teamspaces begin with ${keyPrefixes.hosted}; licenses are signed by the vendor.`,
    { cause },
  )

/** The signature is checked before the expiry, so that the message names the expiry only for genuine licenses. */
function rejected(error: AppError): AppError {
  const { code } = (error.cause ?? {}) as { code?: unknown }
  if (code !== 'ERR_JWT_EXPIRED') return unknownKey(error)
  const message = `This license has expired. Ask the vendor for a new one, or ${sendKey}.`
  return new AppError('invalid_api_key', message, { cause: error })
}
