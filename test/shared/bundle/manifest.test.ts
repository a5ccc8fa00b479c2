import { describe, expect, test } from 'vitest'
import { signManifest, verifyManifest } from '../../../shared/bundle/manifest.ts'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { signLicense } from '../../../shared/keys/license.ts'
import { failure } from '../../fixtures/failure.ts'

const vendor = makeKeyPair()
const other = makeKeyPair()
const manifest = {
  formatVersion: 1 as const,
  created: '2026-01-01T00:00:00.000Z',
  libraries: [{ project: '/acme/docs', file: '1-acme-docs.json', codeSnippets: 2, infoSnippets: 1, sha256: 'a'.repeat(64) }],
}
const signed = await signManifest(manifest, vendor.privatePem)
const signature = signed.signature ?? ''
const check = (raw: unknown, ...pems: string[]) => verifyManifest(JSON.stringify(raw), pems)

test('a manifest that one of the trusted keys has signed is valid', async () => {
  expect(await check(signed, other.publicPem, vendor.publicPem)).toEqual({ manifest: signed, signature: 'valid' })
})

test('a signed manifest is valid with other spacing', async () => {
  expect((await verifyManifest(JSON.stringify(signed, null, 2), [vendor.publicPem])).signature).toBe('valid')
})

test('the signature of a key that is not trusted is unknown', async () => {
  expect((await check(signed, other.publicPem)).signature).toBe('unknown')
  expect((await check(signed)).signature).toBe('unknown')
})

test('a missing signature is reported as absent', async () => {
  expect((await check(manifest, vendor.publicPem)).signature).toBe('absent')
})

test('fields of later releases are signed too and are ignored', async () => {
  const later = { ...manifest, tool: 'next', libraries: manifest.libraries.map((each) => ({ ...each, license: 'MIT' })) }
  const { signature } = await signManifest(later, vendor.privatePem)
  expect((await check({ signature, ...later }, vendor.publicPem)).signature).toBe('valid')
  const changed = { ...later, tool: 'other', signature }
  expect((await failure(check(changed, vendor.publicPem))).message).toContain('changed after it was signed')
})

describe('a manifest whose invalid signature names a trusted key', () => {
  const [library] = manifest.libraries
  const json = JSON.stringify(signed)
  test.each([
    ['a changed hash', JSON.stringify({ ...signed, libraries: [{ ...library, sha256: 'b'.repeat(64) }] })],
    ['a library more', JSON.stringify({ ...signed, libraries: [library, library] })],
    ['a library less', JSON.stringify({ ...signed, libraries: [] })],
    ['another date', JSON.stringify({ ...signed, created: '2027-01-01T00:00:00.000Z' })],
    ['another field', json.replace('{', '{"__proto__":{"a":1},')],
    ['a cut signature', json.replace(signature, signature.slice(0, -10))],
    ['no mark', json.replace(signature, `${signature.split('.')[0]}..`)],
  ])('is rejected after a change: %s', async (_, text) => {
    const error = await failure(verifyManifest(text, [vendor.publicPem]))
    expect([error.code, error.message]).toEqual(['validation_error', expect.stringContaining('changed after it was signed')])
  })
})

test('a signature of the same key for other content is invalid', async () => {
  const { FlattenedSign, calculateJwkThumbprint, exportJWK } = await import('jose')
  const { createPrivateKey, createPublicKey } = await import('node:crypto')
  const key = createPrivateKey(vendor.privatePem)
  const kid = await calculateJwkThumbprint(await exportJWK(createPublicKey(key)), 'sha256')
  const made = await new FlattenedSign(Buffer.from(JSON.stringify(manifest)))
    .setProtectedHeader({ alg: 'EdDSA', typ: 'other', kid })
    .sign(key)
  const forged = { ...manifest, signature: `${made.protected}..${made.signature}` }
  expect((await failure(check(forged, vendor.publicPem))).message).toContain('for something else')
})

test.each(['x', '..', 'a.b.c', `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`, 'a..b..c', ' '])(
  'the signature %j is rejected or unknown, never valid',
  async (signature) => {
    const outcome = await check({ ...manifest, signature }, vendor.publicPem).catch((error) => error.code)
    expect(['validation_error', { signature: 'unknown' }]).toContainEqual(
      typeof outcome === 'string' ? outcome : { signature: outcome.signature },
    )
  },
)

test('the signature of a license does not sign a manifest', async () => {
  const license = { id: '1', customer: 'Acme', kind: 'offline' as const, expiresAt: '2030-01-01T00:00:00.000Z' }
  const [header, , mark] = (await signLicense(license, vendor.privatePem)).split('.')
  expect((await check({ ...manifest, signature: `${header}..${mark}` }, vendor.publicPem)).signature).toBe('unknown')
})

test.each([
  ['no content', '', 'not JSON'],
  ['a list as content', '[]', 'is invalid'],
  ['null as content', 'null', 'is invalid'],
  ['a later format', JSON.stringify({ ...manifest, formatVersion: 2 }), 'newer than this install'],
  [
    'a hash in capitals',
    JSON.stringify({ ...manifest, libraries: [{ ...manifest.libraries[0], sha256: 'A'.repeat(64) }] }),
    'sha256',
  ],
  [
    'a count below 0',
    JSON.stringify({ ...manifest, libraries: [{ ...manifest.libraries[0], codeSnippets: -1 }] }),
    'codeSnippets',
  ],
  [
    'a file name of 500 characters',
    JSON.stringify({ ...manifest, libraries: [{ ...manifest.libraries[0], file: 'x'.repeat(500) }] }),
    'file',
  ],
])('a manifest is rejected with %s', async (_, text, why) => {
  const error = await failure(verifyManifest(text, [vendor.publicPem]))
  expect([error.code, error.message]).toEqual(['validation_error', expect.stringContaining(why)])
})
