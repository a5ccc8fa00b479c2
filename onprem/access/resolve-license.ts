import { resolve } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { isExpired, type License, verifyLicense } from '../../shared/keys/license.ts'
import type { VendorKeys } from '../../shared/keys/vendor-keys.ts'
import { isLoopbackHost } from '../../shared/network/private-address.ts'
import { shellWord } from '../../shared/text/shell-word.ts'
import type { LicenseRecords } from '../store/license-records.ts'

export type ResolvePorts = {
  dataDir: string
  vendor: VendorKeys
  /** The license key of the install's own development pair; undefined if there is no pair yet. */
  developmentKey(): string | undefined
  /** The command line, for advice. */
  command: string
  licenses: Pick<LicenseRecords, 'isRevoked' | 'trustedKeys'>
  now(): Date
}

type ResolvedLicense = {
  license: License
  /** A sentence for the log and for people, if the vendor did not issue the license. */
  note?: string
}

const developmentDays = 365

/** The license of this install: LICENSE_KEY, or a generated one in development. Throws forbidden with the reason if there is none. */
export async function resolveLicense(
  ports: ResolvePorts,
  { licenseKey = '', host }: { licenseKey?: string | undefined; host: string },
): Promise<ResolvedLicense> {
  const { vendor } = ports
  if (!vendor.development) {
    return { license: await check(ports, licenseKey, vendor.license) }
  }
  if (!isLoopbackHost(host)) throw onlyOnLoopback(ports, host)
  const ownKey = ports.developmentKey()
  if (licenseKey.trim() === '') {
    const note = 'LICENSE_KEY is not set: this install uses a generated offline development license.'
    return { license: developmentLicense(ports.now()), note }
  }
  const license = await check(ports, licenseKey, [...(ownKey === undefined ? [] : [ownKey]), ...ports.licenses.trustedKeys()])
  return { license, note: 'The license is signed with a development key.' }
}

async function check(ports: ResolvePorts, token: string, publicPems: readonly string[]): Promise<License> {
  if (token.trim() === '') throw missing(ports)
  const license = await verifyLicense(token, publicPems, ports.now())
  if (ports.licenses.isRevoked(license.id)) {
    throw new AppError('forbidden', `The license ${license.id} was revoked in this install.`)
  }
  return license
}

const developmentLicense = (now: Date): License => ({
  id: 'development',
  customer: 'Development',
  kind: 'offline',
  expiresAt: new Date(now.getTime() + developmentDays * 86_400_000).toISOString(),
})

const missing = ({ command }: ResolvePorts) =>
  new AppError(
    'forbidden',
    `The license is missing: set LICENSE_KEY. If you are the vendor, "${command} license issue --help" explains how to issue one.`,
  )

const onlyOnLoopback = ({ dataDir, command }: ResolvePorts, host: string) =>
  new AppError(
    'forbidden',
    `This build has no vendor key, so its licenses are only valid on a loopback address, not on HOST ${host}.\n${ownVendorAdvice(dataDir, command)}`,
  )

/** Commands that make the operator of an install its vendor. `command` is the command line. The private keys stay outside the data directory. */
export function ownVendorAdvice(dataDir: string, command: string): string {
  const vendor = shellWord(resolve(dataDir, 'vendor'))
  const carrel = dataDir === resolve('data') ? command : `DATA_DIR=${shellWord(dataDir)} ${command}`
  return [
    'To issue the license yourself, run these commands and start the server again:',
    `  ${command} license keygen --out ~/carrel-vendor &&`,
    `  mkdir -p ${vendor} && cp ~/carrel-vendor/*.pub.pem ${vendor}/ &&`,
    `  export LICENSE_KEY="$(${carrel} license issue --kind offline --customer 'My team' --days 3650 --key ~/carrel-vendor/license.pem)"`,
    'Keep a copy of ~/carrel-vendor on another machine and delete it here: its private keys sign licenses for this install.',
    'If a reverse proxy on this machine serves your team, set PUBLIC_URL to its address instead of HOST.',
  ].join('\n')
}

export type LicensePorts = { license: License; now(): Date }

/** Throws forbidden if the license has expired since the start, or if it is not of the required kind. */
export function requireLicense({ license, now }: LicensePorts, kind?: License['kind']): void {
  if (kind !== undefined && license.kind !== kind) {
    throw new AppError('forbidden', `This requires an ${kind} license; this install has an ${license.kind} license.`)
  }
  if (isExpired(license, now())) throw expired(license)
}

/** The sentence of health about a license that has ended. */
export const expiredWarning = (license: License): string =>
  `${expired(license).message} If it has not ended, the clock of this machine is wrong: set it.`

export const expired = ({ expiresAt }: License): AppError =>
  new AppError(
    'forbidden',
    `The license expired on ${expiresAt.slice(0, 10)}: set LICENSE_KEY to a new one and restart the server.`,
  )
