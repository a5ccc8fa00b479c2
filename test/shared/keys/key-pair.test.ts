import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { makeKeyPair, publicHalf, readPrivateKeys, readPublicKey, readPublicKeys } from '../../../shared/keys/key-pair.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const rsaPrivate = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const rsaPublic = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()

describe('a key pair', () => {
  test('is Ed25519 in PEM, and its public half can be derived from the private one', () => {
    const { privatePem, publicPem } = makeKeyPair()
    expect(privatePem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
    expect(publicPem).toMatch(/^-----BEGIN PUBLIC KEY-----\n/)
    expect(publicHalf(privatePem)).toBe(publicPem)
  })

  test('has one form of its public half, whatever surrounds it in the file', () => {
    const { publicPem } = makeKeyPair()
    expect(readPublicKey(`# of ACME\r\n\r\n${publicPem.replaceAll('\n', '\r\n')}\r\n`)).toBe(publicPem)
  })

  test.each([
    ['text', 'hello'],
    ['nothing', ''],
    ['a private key', makeKeyPair().privatePem],
    ['a public key with a private one beside it', makeKeyPair().publicPem + makeKeyPair().privatePem],
    ['an RSA key', rsaPublic],
  ])('is not read from %s if a public key is expected', (_, pem) => {
    expect(readPublicKey(pem)).toBeUndefined()
  })

  test.each([
    ['text', 'hello'],
    ['a public key', makeKeyPair().publicPem],
    ['an RSA key', rsaPrivate],
  ])('is not read from %s if a private key is expected', (_, pem) => {
    expect(publicHalf(pem)).toBeUndefined()
  })
})

describe('a list of keys', () => {
  const [first, second] = [makeKeyPair(), makeKeyPair()]

  test('has the keys of a text in their order, whatever surrounds them', () => {
    expect(readPublicKeys(`# new\n${first.publicPem}\n# old\r\n${second.publicPem}`)).toEqual([first.publicPem, second.publicPem])
    const pems = readPrivateKeys(first.privatePem + second.privatePem) ?? []
    expect(pems.map(publicHalf)).toEqual([first.publicPem, second.publicPem])
  })

  test.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['a key that was cut', first.publicPem + second.publicPem.slice(0, 60)],
    ['keys of both kinds', first.publicPem + second.privatePem],
    ['an RSA key', first.publicPem + rsaPublic],
    ['a megabyte of beginnings', '-----BEGIN '.repeat(100_000)],
  ])('is not read from %s', (_, text) => {
    expect([readPublicKeys(text), readPrivateKeys(text)]).toEqual([undefined, undefined])
  })
})
