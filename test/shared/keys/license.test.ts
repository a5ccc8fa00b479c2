import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { isExpired, type License, signLicense, verifyLicense } from '../../../shared/keys/license.ts'

const vendor = makeKeyPair()
const stranger = makeKeyPair()
const now = new Date('2030-06-01T12:00:00Z')

const license: License = {
  id: 'lic-1',
  customer: 'ACME Ltd',
  kind: 'online',
  expiresAt: '2030-07-01T00:00:00.000Z',
  cloudUrl: 'https://carrel.example.com',
  teamspace: 'acme',
}

const refusal = async (token: string, keys = [vendor.publicPem], at = now) => {
  try {
    await verifyLicense(token, keys, at)
  } catch (error) {
    return error instanceof AppError && error.code === 'forbidden' ? error.message : error
  }
  return 'accepted'
}

const forged = (why: string) => `The license in LICENSE_KEY is forged or damaged: ${why}.`
const unknownKey = forged('it is not signed with a key that this install trusts')
const noLicense = forged('it is not a signed license')

const signed = (claims: Record<string, unknown>, header: Record<string, unknown> = {}) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'EdDSA', typ: 'carrel-license+jwt', ...header })
    .sign(createPrivateKey(vendor.privatePem))

const claims = { jti: 'lic-1', sub: 'ACME', kind: 'online', exp: 1_909_000_000 }

describe('a license', () => {
  test('is verified with the fields that it was issued with', async () => {
    expect(await verifyLicense(await signLicense(license, vendor.privatePem), [vendor.publicPem], now)).toEqual(license)
  })

  test.each([8_640_000_000_001, 9e15, 1e300])('is rejected if it expires at second %d, which is no valid date', async (exp) => {
    expect(await refusal(await signed({ ...claims, exp }))).toBe(forged('its content is not a license'))
  })

  test('has expired if it ended before any valid date', async () => {
    expect(await refusal(await signed({ ...claims, exp: -9e15 }))).toBe('The license in LICENSE_KEY expired.')
  })

  test('names a hosted service and a teamspace only if it was issued with them', async () => {
    const { cloudUrl: _, teamspace: __, ...plain } = license
    expect(await verifyLicense(await signLicense(plain, vendor.privatePem), [vendor.publicPem], now)).toEqual(plain)
  })

  test('is valid if any of the trusted keys signed it, also with white space around it', async () => {
    const token = await signLicense(license, vendor.privatePem)
    expect(await verifyLicense(` ${token}\n`, [stranger.publicPem, vendor.publicPem], now)).toEqual(license)
  })

  test('is missing if LICENSE_KEY is empty', async () => {
    expect(await refusal('  ')).toBe('The license is missing: set LICENSE_KEY.')
  })

  test('is forged if another key signed it', async () => {
    const token = await signLicense(license, stranger.privatePem)
    expect(await refusal(token)).toBe(unknownKey)
  })

  test('is forged if no key is trusted', async () => {
    expect(await refusal(await signLicense(license, vendor.privatePem), [])).toBe(unknownKey)
  })

  test('is forged if its content was changed after it was signed', async () => {
    const [header, , signature] = (await signLicense(license, vendor.privatePem)).split('.')
    const other = Buffer.from(JSON.stringify({ ...claims, kind: 'offline' })).toString('base64url')
    expect(await refusal([header, other, signature].join('.'))).toBe(unknownKey)
  })

  test('is forged if it claims to need no signature', async () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const unsigned = `${part({ alg: 'none', typ: 'carrel-license+jwt' })}.${part(claims)}.`
    expect(await refusal(unsigned)).toBe(noLicense)
  })

  test.each([
    ['no token', 'hello'],
    ['three empty parts', '..'],
    ['broken base64', 'a.b.c'],
    ['a megabyte', 'x'.repeat(1_000_000)],
  ])('is forged if it is %s', async (_, token) => {
    expect(await refusal(token)).toBe(noLicense)
  })

  test('is rejected if the same key signed it for another purpose', async () => {
    expect(await refusal(await signed(claims))).toBe('accepted')
    expect(await refusal(await signed(claims, { typ: 'JWT' }))).toBe(noLicense)
  })

  test.each([
    ['another kind', { kind: 'free' }],
    ['no id', { jti: undefined }],
    ['no customer', { sub: '' }],
    ['no expiry', { exp: undefined }],
    ['a hosted service without https', { cloudUrl: 'http://carrel.example.com' }],
  ])('is invalid with %s', async (_, change) => {
    expect(await refusal(await signed({ ...claims, ...change }))).toMatch(/^The license in LICENSE_KEY is forged or damaged: /)
  })

  test('is rejected with its last day after it has expired', async () => {
    const token = await signLicense(license, vendor.privatePem)
    expect(await refusal(token, [vendor.publicPem], new Date('2030-06-30T23:59:59Z'))).toBe('accepted')
    expect(await refusal(token, [vendor.publicPem], new Date('2030-07-01T00:00:00Z'))).toBe(
      'The license in LICENSE_KEY expired on 2030-07-01.',
    )
  })

  test('is reported as forged, not as expired, if it is both', async () => {
    const token = await signLicense({ ...license, expiresAt: '2020-01-01T00:00:00Z' }, stranger.privatePem)
    expect(await refusal(token)).toBe(unknownKey)
  })

  test('expires exactly at its last second', () => {
    expect(isExpired(license, new Date('2030-06-30T23:59:59.999Z'))).toBe(false)
    expect(isExpired(license, new Date('2030-07-01T00:00:00Z'))).toBe(true)
  })
})
