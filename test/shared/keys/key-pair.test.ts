import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { makeKeyPair, publicHalf, readPublicKey } from '../../../shared/keys/key-pair.ts'

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
