import { AppError } from '../../shared/errors.ts'
import { developmentPair, vendorKeys } from '../../shared/keys/dev-pairs.ts'
import { type License, verifyLicense } from '../../shared/keys/license.ts'
import { isLoopbackHost } from '../../shared/schemas/base-url.ts'
import type { LicenseRecords } from '../store/license-records.ts'

export type ResolvePorts = {
  dataDir: string
  /** Folder of the vendor's public keys. */
  vendorDir: string
  licenses: Pick<LicenseRecords, 'isRevoked' | 'trustedKeys'>
  now(): Date
}

export type ResolvedLicense = {
  license: License
  /** For the log and for people, where the license is not one of the vendor's. */
  note?: string
}

const developmentDays = 365

/** The license that this install runs on: LICENSE_KEY, or in development one of its own making. Throws forbidden, with why there is none. */
export async function resolveLicense(
  ports: ResolvePorts,
  { licenseKey = '', host }: { licenseKey?: string | undefined; host: string },
): Promise<ResolvedLicense> {
  const vendor = vendorKeys(ports.vendorDir)
  if (!vendor.development) {
    return { license: await check(ports, licenseKey, vendor.license === undefined ? [] : [vendor.license]) }
  }
  if (!isLoopbackHost(host)) throw notForOthers(host)
  const { publicPem } = developmentPair(ports.dataDir, 'license')
  if (licenseKey.trim() === '') {
    const note = 'LICENSE_KEY is not set: this install runs on an offline development license of its own making.'
    return { license: developmentLicense(ports.now()), note }
  }
  const license = await check(ports, licenseKey, [publicPem, ...ports.licenses.trustedKeys()])
  return { license, note: 'The license is signed with a development key.' }
}

async function check(ports: ResolvePorts, token: string, publicPems: string[]): Promise<License> {
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

const notForOthers = (host: string) =>
  new AppError(
    'forbidden',
    `This install carries no vendor key, so its licenses count only on a loopback address, not on HOST ${host}.`,
  )
