import { expect, test } from 'vitest'
import { licenseKeys, signingKey } from '../../../functions/aws/stage-keys.ts'
import { manifestEntry } from '../../../shared/bundle/bundle-zip.ts'
import { verifyManifest } from '../../../shared/bundle/manifest.ts'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { signLicense, verifyLicense } from '../../../shared/keys/license.ts'

const [old, newest] = [makeKeyPair(), makeKeyPair()]
const now = new Date('2030-01-01T00:00:00Z')
const license = { id: 'lic', customer: 'Example', kind: 'offline' as const, expiresAt: '2031-01-01T00:00:00.000Z' }

test('a stage accepts the licenses of the old and the new key while it is rotated, then only those of the new one', async () => {
  const [before, after] = [await signLicense(license, old.privatePem), await signLicense(license, newest.privatePem)]
  const accepted = (secret: string) =>
    Promise.all(
      [before, after].map((token) =>
        verifyLicense(token, licenseKeys(secret) ?? [], now).then(
          () => true,
          () => false,
        ),
      ),
    )
  expect(await accepted(old.publicPem)).toEqual([true, false])
  expect(await accepted(newest.publicPem + old.publicPem)).toEqual([true, true])
  expect(await accepted(newest.publicPem)).toEqual([false, true])
})

test('a malformed license key accepts no license, and none at all leaves the trusted development keys', () => {
  expect(licenseKeys('nonsense')).toEqual([])
  expect(licenseKeys(old.privatePem)).toEqual([])
  expect(licenseKeys('  \n')).toBeUndefined()
})

test('bundles are signed with the newest key, and an install with both keys accepts those of the old one, too', async () => {
  const signed = async (secret: string) => {
    const parts: Buffer[] = []
    for await (const part of manifestEntry([], now, signingKey(secret))) parts.push(part)
    return Buffer.concat(parts).toString()
  }
  const [before, during] = [await signed(old.privatePem), await signed(newest.privatePem + old.privatePem)]
  const both = [newest.publicPem, old.publicPem]
  for (const manifest of [before, during]) expect((await verifyManifest(manifest, both)).signature).toBe('valid')
  expect((await verifyManifest(during, [newest.publicPem])).signature).toBe('valid')
  expect((await verifyManifest(during, [old.publicPem])).signature).toBe('unknown')
})

test('a malformed bundle key fails instead of leaving bundles unsigned', () => {
  for (const secret of ['nonsense', old.publicPem]) expect(() => signingKey(secret)).toThrow('bundles cannot be signed')
  expect(signingKey('')).toBeUndefined()
})
