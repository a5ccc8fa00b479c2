import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ownVendorAdvice, type ResolvePorts, requireLicense, resolveLicense } from '../../../onprem/access/resolve-license.ts'
import { type LicenseRecords, sqliteLicenses } from '../../../onprem/store/license-records.ts'
import { developmentPair } from '../../../shared/keys/development-pair.ts'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { type License, signLicense } from '../../../shared/keys/license.ts'
import { vendorKeys } from '../../../shared/keys/vendor-keys.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const vendor = makeKeyPair()
const now = () => new Date('2030-06-01T12:00:00Z')
const forged = 'The license in LICENSE_KEY is forged or damaged: it is not signed with a key that this install trusts.'
const license: License = { id: 'lic-1', customer: 'ACME', kind: 'online', expiresAt: '2030-07-01T00:00:00.000Z' }

let dataDir: string
let licenses: LicenseRecords
let development: ResolvePorts
let production: ResolvePorts

beforeEach(() => {
  dataDir = tempDir()
  const db = openDatabase(dataDir)
  onTestFinished(() => db.close())
  licenses = sqliteLicenses(db, now)
  const developmentKey = () => developmentPair(dataDir, 'license').publicPem
  development = { dataDir, vendor: keysIn(), developmentKey, command: 'carrel', licenses, now }
  production = { ...development, vendor: keysIn(vendorFolder({ license: vendor.publicPem, bundle: makeKeyPair().publicPem })) }
})

describe('an install with the vendor key', () => {
  test('accepts a license signed by the vendor, on any address', async () => {
    const token = await signLicense(license, vendor.privatePem)
    expect(await resolveLicense(production, { licenseKey: token, host: '0.0.0.0' })).toEqual({ license })
  })

  test('does not start without a license, and creates no development pair', async () => {
    await expect(resolveLicense(production, { host: '127.0.0.1' })).rejects.toThrow(
      'The license is missing: set LICENSE_KEY. If you are the vendor, "carrel license issue --help" explains how to issue one.',
    )
    expect(readdirSync(dataDir).filter((name) => name.startsWith('dev-'))).toEqual([])
  })

  test('accepts neither its development pair nor a trusted key', async () => {
    const pair = developmentPair(dataDir, 'license')
    licenses.trust(pair.publicPem)
    const token = await signLicense(license, pair.privatePem)
    await expect(resolveLicense(production, { licenseKey: token, host: '127.0.0.1' })).rejects.toThrow(forged)
  })

  test('does not start if only the bundle key is real: the placeholder next to it trusts no license', async () => {
    const half = { ...production, vendor: keysIn(vendorFolder({ bundle: vendor.publicPem })) }
    const token = await signLicense(license, developmentPair(dataDir, 'license').privatePem)
    await expect(resolveLicense(half, { licenseKey: token, host: '127.0.0.1' })).rejects.toThrow(forged)
  })

  test.each([
    ['damaged', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'],
    ['empty', ''],
  ])('does not fall back to development if the key file is %s', (_, text) => {
    const folder = vendorFolder({ license: text })
    expect(() => keysIn(folder)).toThrow(`${join(folder, 'license.pub.pem')} is not the vendor's Ed25519 public key in PEM.`)
  })
})

describe('a development install', () => {
  test('is detected in this repository', () => {
    expect(keysIn()).toEqual({ development: true, license: [], bundle: [] })
  })

  test('generates an offline license if LICENSE_KEY is not set, and reports it', async () => {
    const resolved = await resolveLicense(development, { licenseKey: '', host: '127.0.0.1' })
    expect(resolved).toEqual({
      license: { id: 'development', customer: 'Development', kind: 'offline', expiresAt: '2031-06-01T12:00:00.000Z' },
      note: 'LICENSE_KEY is not set: this install uses a generated offline development license.',
    })
  })

  test('accepts licenses of its own pair, and of another install if it is trusted', async () => {
    const own = await signLicense(license, developmentPair(dataDir, 'license').privatePem)
    expect((await resolveLicense(development, { licenseKey: own, host: 'localhost' })).license).toEqual(license)
    const other = developmentPair(tempDir(), 'license')
    const foreign = { licenseKey: await signLicense(license, other.privatePem), host: '127.0.0.1' }
    await expect(resolveLicense(development, foreign)).rejects.toThrow(forged)
    licenses.trust(other.publicPem)
    expect((await resolveLicense(development, foreign)).license).toEqual(license)
  })

  test.each(['0.0.0.0', '::', '10.0.0.1'])('does not start if other machines can reach it with HOST %s', async (host) => {
    await expect(resolveLicense(development, { host })).rejects.toMatchObject({
      code: 'forbidden',
      message: `This build has no vendor key, so its licenses are only valid on a loopback address, not on HOST ${host}.\n${ownVendorAdvice(dataDir, 'carrel')}`,
    })
    const own = await signLicense(license, developmentPair(dataDir, 'license').privatePem)
    await expect(resolveLicense(development, { licenseKey: own, host })).rejects.toThrow('only valid on a loopback address')
  })

  test('does not replace an expired license with a generated one', async () => {
    const { privatePem } = developmentPair(dataDir, 'license')
    const licenseKey = await signLicense({ ...license, expiresAt: '2030-01-01T00:00:00Z' }, privatePem)
    await expect(resolveLicense(development, { licenseKey, host: '127.0.0.1' })).rejects.toThrow(
      'The license in LICENSE_KEY expired on 2030-01-01.',
    )
  })
})

test('a license that was revoked in this install is invalid, also with a valid signature', async () => {
  const token = await signLicense(license, vendor.privatePem)
  expect(licenses.revoke(license.id)).toBe(false)
  licenses.record(license)
  expect((await resolveLicense(production, { licenseKey: token, host: '127.0.0.1' })).license).toEqual(license)
  expect(licenses.revoke(license.id)).toBe(true)
  await expect(resolveLicense(production, { licenseKey: token, host: '127.0.0.1' })).rejects.toMatchObject({
    code: 'forbidden',
    message: 'The license lic-1 was revoked in this install.',
  })
})

describe('a development pair', () => {
  test('is created once, with a private key that only its owner can read', () => {
    const made = developmentPair(dataDir, 'bundle')
    expect(developmentPair(dataDir, 'bundle')).toEqual(made)
    expect(readFileSync(join(dataDir, 'dev-bundle.pub.pem'), 'utf8')).toBe(made.publicPem)
    expect((statSync(join(dataDir, 'dev-bundle.pem')).mode & 0o777).toString(8)).toBe('600')
  })

  test('always has the public key that matches its private key', () => {
    writeFileSync(join(dataDir, 'dev-license.pub.pem'), vendor.publicPem)
    const { publicPem } = developmentPair(dataDir, 'license')
    expect(readFileSync(join(dataDir, 'dev-license.pub.pem'), 'utf8')).toBe(publicPem)
  })

  test('is reported and not overwritten if it is damaged', () => {
    const path = join(dataDir, 'dev-license.pem')
    writeFileSync(path, 'hello')
    expect(() => developmentPair(dataDir, 'license')).toThrow(
      `The development key ${path} cannot be used: it is not an Ed25519 private key; remove it to create a new pair.`,
    )
    expect(readFileSync(path, 'utf8')).toBe('hello')
  })
})

const keysIn = (installDir?: string) => vendorKeys({ keyFiles: {}, dataDir, ...(installDir && { installDir }) })

function vendorFolder(pems: { license?: string; bundle?: string }): string {
  const folder = join(tempDir(), 'vendor')
  mkdirSync(folder)
  for (const name of ['license', 'bundle'] as const) {
    writeFileSync(join(folder, `${name}.pub.pem`), pems[name] ?? 'Development placeholder: none yet.\n')
  }
  return folder
}

describe('the license of a running server', () => {
  const licenseOf = (kind: License['kind']): License => ({
    id: 'x',
    customer: 'Acme',
    kind,
    expiresAt: '2030-01-02T00:00:00.000Z',
  })
  const at = (time: string) => () => new Date(time)
  const before = at('2030-01-01T23:59:59.999Z')
  const after = at('2030-01-02T00:00:00.000Z')

  test.each(['offline', 'online'] as const)('an %s license that has not expired is sufficient', (kind) => {
    expect(() => requireLicense({ license: licenseOf(kind), now: before })).not.toThrow()
    expect(() => requireLicense({ license: licenseOf(kind), now: before }, kind)).not.toThrow()
  })

  test('a license that expires while the server is running is rejected with what to do', () => {
    expect(() => requireLicense({ license: licenseOf('offline'), now: after })).toThrow(
      expect.objectContaining({
        code: 'forbidden',
        message: 'The license expired on 2030-01-02: set LICENSE_KEY to a new one and restart the server.',
      }),
    )
  })

  test.each([
    ['online', 'offline', 'This requires an offline license; this install has an online license.'],
    ['offline', 'online', 'This requires an online license; this install has an offline license.'],
  ] as const)('an %s license does not permit requests that require an %s one', (kind, needed, message) => {
    expect(() => requireLicense({ license: licenseOf(kind), now: before }, needed)).toThrow(
      expect.objectContaining({ code: 'forbidden', message }),
    )
  })
})
