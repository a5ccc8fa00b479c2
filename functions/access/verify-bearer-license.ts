import { AppError } from '../../shared/errors.ts'
import { keyPrefixes } from '../../shared/keys/api-key.ts'
import { type License, verifyLicense } from '../../shared/keys/license.ts'
import type { Licenses } from './licenses.ts'

export type LicensePorts = {
  licenses: Pick<Licenses, 'find'>
  /** Public keys in PEM whose licenses count: the vendor's; in development those of this half and the trusted ones. */
  publicPems(): Promise<readonly string[]>
  now(): Date
}

/**
 * The license that a request bears. One that was never recorded here counts all the same, a revoked one never. Throws
 * invalid_api_key; only what its signature proves to be a license is told why it does not count.
 */
export async function verifyBearerLicense({ licenses, publicPems, now }: LicensePorts, token: string): Promise<License> {
  const pems = await publicPems()
  const license = await verifyLicense(token, pems, now()).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'forbidden' ? refused(error) : error
  })
  if ((await licenses.find(license.id))?.revoked) {
    throw new AppError('invalid_api_key', `This license was revoked: ask the vendor for a new one, or ${sendKey}.`)
  }
  return license
}

const sendKey = `send the key of a teamspace, which begins with ${keyPrefixes.hosted}`

/** For whatever is sent as a key and is none. */
export const unknownKey = (cause?: unknown): AppError =>
  new AppError(
    'invalid_api_key',
    `The key or license is not known here: keys of teamspaces begin with ${keyPrefixes.hosted}, and licenses are signed by the vendor.`,
    { cause },
  )

/** The signature is checked before the expiry, so that only the vendor's own licenses are told of it. */
function refused(error: AppError): AppError {
  const { code } = (error.cause ?? {}) as { code?: unknown }
  if (code !== 'ERR_JWT_EXPIRED') return unknownKey(error)
  const message = `This license has expired: ask the vendor for a new one, or ${sendKey}.`
  return new AppError('invalid_api_key', message, { cause: error })
}
