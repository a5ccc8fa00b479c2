import { describe, expect, test } from 'vitest'
import { hashApiKey, isWellFormedKey, keyPrefixes, makeApiKey, printPrefix } from '../../../shared/keys/api-key.ts'

const earlierKey = 'carrel_op_lgv3dxrC1wS2KP8hF0RF9RitmbHi6OnsY3cyIv9OtT21K0m4F'

describe('an API key', () => {
  test.each(Object.values(keyPrefixes))(
    'starts with %s and contains 256 random bits and a checksum in letters and digits',
    (prefix) => {
      expect(makeApiKey(prefix).slice(0, prefix.length)).toBe(prefix)
      expect(makeApiKey(prefix).slice(prefix.length)).toMatch(/^[0-9A-Za-z]{49}$/)
    },
  )

  test('is never generated twice', () => {
    expect(new Set(Array.from({ length: 500 }, () => makeApiKey('carrel_op_'))).size).toBe(500)
  })

  test('is well-formed', () => {
    expect(isWellFormedKey(makeApiKey('carrel_op_'))).toBe(true)
    expect(isWellFormedKey(makeApiKey('carrel_sk_'))).toBe(true)
  })

  test('stays well-formed in every later version', () => {
    expect(isWellFormedKey(earlierKey)).toBe(true)
  })

  test('is not well-formed if any one character is mistyped', () => {
    const key = makeApiKey('carrel_op_')
    const mistyped = [...key].map((character, at) => key.slice(0, at) + (character === 'x' ? 'y' : 'x') + key.slice(at + 1))
    expect(mistyped.filter(isWellFormedKey)).toEqual([])
  })

  test.each([
    ['nothing', () => ''],
    ['the key of another service', () => 'ctx7op-abcdefgh_abcdefghijklmnop'],
    ['a key that lost its end', () => makeApiKey('carrel_op_').slice(0, -1)],
    ['a key with the prefix of the other half', () => makeApiKey('carrel_op_').replace('_op_', '_sk_')],
    ['a key with a line end', () => `${makeApiKey('carrel_op_')}\n`],
    ['a megabyte of digits', () => `carrel_op_${'0'.repeat(1_000_000)}`],
  ])('is not %s', (_, text) => {
    expect(isWellFormedKey(text())).toBe(false)
  })

  test('is stored as its SHA-256', () => {
    expect(hashApiKey(earlierKey)).toBe('468ec9fd3740811bcc3bd902cac0a5a2ed0fcbf6e698913241d5ea3a17287fa5')
  })

  test('is listed by its first characters', () => {
    expect(printPrefix(earlierKey)).toBe('carrel_op_lgv3…')
  })
})
