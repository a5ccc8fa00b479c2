import { AppError } from '../../shared/errors.ts'
import { isExpired, type License } from '../../shared/keys/license.ts'

export type LicensePorts = { license: License; now(): Date }

/** Throws forbidden if the license has expired since the start, or if it is not of the required kind. */
export function requireLicense({ license, now }: LicensePorts, kind?: License['kind']): void {
  if (kind !== undefined && license.kind !== kind) {
    throw new AppError('forbidden', `This requires an ${kind} license; this install has an ${license.kind} license.`)
  }
  if (isExpired(license, now())) throw expired(license)
}

export const expired = ({ expiresAt }: License): AppError =>
  new AppError(
    'forbidden',
    `The license expired on ${expiresAt.slice(0, 10)}: set LICENSE_KEY to a new one and restart the server.`,
  )
