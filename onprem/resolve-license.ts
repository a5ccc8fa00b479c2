import { isLoopbackHost } from '../shared/base-url.ts'
import { type License, LicenseError, signLicense, verifyLicense } from '../shared/keys/license.ts'
import { developmentPair, vendorKeys } from './dev-pairs.ts'
import type { LicenseRecords } from './store/license-records.ts'

export type LicensePorts = {
  dataDir: string
  /** Folder of the vendor's public keys. */
  vendorDir: string
  licenses: Pick<LicenseRecords, 'isRevoked' | 'trustedKeys'>
  now(): Date
}

export type ResolvedLicense = {
  license: License
  /** What the hosted service is shown. */
  token: string
  /** For the log and for people, where the license is not one of the vendor's. */
  note?: string
}

const developmentDays = 365

/** The license that this install runs on: LICENSE_KEY, or in development one of its own making. Throws LicenseError. */
export async function resolveLicense(
  ports: LicensePorts,
  { licenseKey = '', host }: { licenseKey?: string | undefined; host: string },
): Promise<ResolvedLicense> {
  const vendor = vendorKeys(ports.vendorDir)
  if (!vendor.development) return check(ports, licenseKey, vendor.license === undefined ? [] : [vendor.license])
  if (!isLoopbackHost(host)) throw notForOthers(licenseKey, host)
  const { privatePem, publicPem } = developmentPair(ports.dataDir, 'license')
  if (licenseKey.trim() !== '') {
    const resolved = await check(ports, licenseKey, [publicPem, ...ports.licenses.trustedKeys()])
    return { ...resolved, note: 'The license is signed with a development key.' }
  }
  const token = await signLicense(developmentLicense(ports.now()), privatePem)
  const note = 'LICENSE_KEY is not set: this install runs on an offline development license of its own making.'
  return { ...(await check(ports, token, [publicPem])), note }
}

async function check(ports: LicensePorts, token: string, publicPems: string[]): Promise<ResolvedLicense> {
  const license = await verifyLicense(token, publicPems, ports.now())
  if (ports.licenses.isRevoked(license.id)) {
    throw new LicenseError('revoked', `The license ${license.id} was revoked in this install.`)
  }
  return { license, token: token.trim() }
}

const developmentLicense = (now: Date): License => ({
  id: 'development',
  customer: 'Development',
  kind: 'offline',
  expiresAt: new Date(now.getTime() + developmentDays * 86_400_000).toISOString(),
})

const notForOthers = (licenseKey: string, host: string) =>
  new LicenseError(
    licenseKey.trim() === '' ? 'missing' : 'forged',
    `This install carries no vendor key, so its licenses count only on a loopback address, not on HOST ${host}.`,
  )
