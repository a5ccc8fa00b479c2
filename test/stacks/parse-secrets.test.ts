import { describe, expect, test } from 'vitest'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import { checkVendorSecrets, parseOriginSecret } from '../../stacks/parse-secrets.ts'

const [one, other] = [makeKeyPair(), makeKeyPair()]
const production = true
const check =
  (license: string, bundle: string, inProduction = production) =>
  () =>
    checkVendorSecrets({ license, bundle, production: inProduction })

describe('the origin secret', () => {
  test.each([
    ['of 32 characters', 'a'.repeat(32)],
    ['of 64 characters', '0f'.repeat(32)],
    ['with a value that it replaces', `${'n'.repeat(64)},${'o'.repeat(32)}`],
  ])('is accepted %s', (_, secret) => {
    expect(parseOriginSecret(secret)).toEqual(secret.split(','))
  })

  test.each([
    ['is empty', ''],
    ['is a comma', ','],
    ['is short', 'a'.repeat(31)],
    ['is long', 'a'.repeat(65)],
    ['has a short old value', `${'n'.repeat(32)},old`],
    ['has an empty old value', `${'n'.repeat(32)},`],
    ['has three values', [1, 2, 3].map((n) => String(n).repeat(32)).join()],
    ['could end the string of the code that contains it', `${'a'.repeat(32)}";x="`],
    ['has a newline at its end', `${'a'.repeat(32)}\n`],
    ['is a key in PEM', one.publicPem],
  ])('is rejected if it %s', (_, secret) => {
    expect(() => parseOriginSecret(secret)).toThrow('Each value of OriginSecret needs 32 to 64 letters and digits')
  })
})

describe('the keys of the vendor', () => {
  test('may be one or more of each kind, and are optional outside production', () => {
    check(one.publicPem, other.privatePem)()
    check(one.publicPem + other.publicPem, makeKeyPair().privatePem + makeKeyPair().privatePem)()
    check('', '', false)()
    check(' \n', other.privatePem, false)()
  })

  test.each([
    ['no license key', '', other.privatePem, 'LicenseKey is empty. Set it to the public half of the license key'],
    ['a blank license key', ' \n', other.privatePem, 'LicenseKey is empty'],
    ['no bundle key', one.publicPem, '', 'BundleKey is empty. Set it to the private half of the bundle key'],
    ['words as the license key', 'the key', other.privatePem, 'LicenseKey is malformed'],
    ['words as the bundle key', one.publicPem, 'the key', 'BundleKey is malformed'],
    ['a license key that was cut', one.publicPem.slice(0, -40), other.privatePem, 'LicenseKey is malformed'],
    [
      'a second license key that was cut',
      one.publicPem + other.publicPem.slice(0, -40),
      makeKeyPair().privatePem,
      'LicenseKey is malformed',
    ],
    ['the private half of the license key', one.privatePem, other.privatePem, 'A private half was exposed: create a new pair.'],
    ['the public half of the bundle key', one.publicPem, other.publicPem, 'BundleKey is malformed'],
    ['the keys in the place of each other', other.privatePem, one.publicPem, 'LicenseKey is malformed'],
    ['one pair for both', one.publicPem, one.privatePem, 'halves of one pair'],
  ])('are rejected if there is %s', (_, license, bundle, told) => {
    expect(check(license, bundle)).toThrow(told)
  })

  test('are rejected outside production, too, if they are malformed', () => {
    expect(check('the key', '', false)).toThrow('LicenseKey is malformed')
  })
})
