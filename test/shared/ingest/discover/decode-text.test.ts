import { describe, expect, test } from 'vitest'
import { decodeText } from '../../../../shared/ingest/discover/decode-text.ts'

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()

describe('the text of a file', () => {
  test.each([
    ['UTF-8', Buffer.from('naïve ✓')],
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFFnaïve ✓')],
    ['UTF-16 LE with a byte order mark', Buffer.from('\uFEFFnaïve ✓', 'utf16le')],
    ['UTF-16 BE with a byte order mark', utf16be('\uFEFFnaïve ✓')],
  ])('is read from %s', (_, bytes) => {
    expect(decodeText(bytes)).toBe('naïve ✓')
  })

  test('is read from UTF-16 without a mark where every other byte is zero', () => {
    expect(decodeText(Buffer.from('# Plain words\n', 'utf16le'))).toBe('# Plain words\n')
    expect(decodeText(utf16be('# Plain words\n'))).toBe('# Plain words\n')
  })

  test('keeps a few broken bytes as replacement characters', () => {
    expect(decodeText(Buffer.concat([Buffer.from('a long enough line of caf'), Buffer.from([0xe9])]))).toBe(
      'a long enough line of caf\uFFFD',
    )
  })

  test('is empty for an empty file', () => {
    expect(decodeText(Buffer.alloc(0))).toBe('')
  })

  test.each([
    ['zero bytes', Buffer.from('PK\0\0\0data and more data'), 'binary'],
    ['UTF-16 full of zeros', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.alloc(40)]), 'binary'],
    [
      'mostly broken bytes',
      Buffer.from(Array.from({ length: 100 }, (_, index) => 0x80 + (index % 64))),
      'neither UTF-8 nor UTF-16',
    ],
  ])('is refused for %s', (_, bytes, reason) => {
    expect(decodeText(bytes)).toEqual({ reason })
  })
})
