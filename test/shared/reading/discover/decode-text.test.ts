import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeText } from '../../../../shared/reading/discover/decode-text.ts'

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const bytes = (...values: number[]) => Buffer.from(values)

describe('the text of a file', () => {
  test.each([
    ['UTF-8', Buffer.from('naïve ✓')],
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFFnaïve ✓')],
    ['UTF-16 LE with a byte order mark', Buffer.from('\uFEFFnaïve ✓', 'utf16le')],
    ['UTF-16 BE with a byte order mark', utf16be('\uFEFFnaïve ✓')],
  ])('is read from %s', (_, bytes) => {
    expect(decodeText(bytes)).toBe('naïve ✓')
  })

  test('is read as UTF-16 without a mark if every other byte is zero', () => {
    expect(decodeText(Buffer.from('# Plain words\n', 'utf16le'))).toBe('# Plain words\n')
    expect(decodeText(utf16be('# Plain words\n'))).toBe('# Plain words\n')
  })

  test.each([
    'café',
    'Übergrößenträger',
    'Le café «à la crème» coûte 3 £.',
    'Þórður skrifaði þetta í gær',
    'El niño preguntó: «¿qué?»',
  ])('is read from Latin-1: %s', (text) => {
    expect(decodeText(latin1(text))).toBe(text)
  })

  test('is read from Windows-1252, with its quotes and dashes', () => {
    expect(decodeText(latin1('\x93smart\x94 quotes \x96 and a \x80 sign'))).toBe('“smart” quotes – and a € sign')
  })

  test('keeps a few broken bytes among good UTF-8 as replacement characters', () => {
    const text = Buffer.from('naïve, and a long enough line of caf')
    expect(decodeText(Buffer.concat([text, bytes(0xe9)]))).toBe(`${text}\uFFFD`)
  })

  test('keeps a few words of another encoding as replacement characters', () => {
    const cyrillic = bytes(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2)
    const text = 'plain words '.repeat(20)
    expect(decodeText(Buffer.concat([Buffer.from(text), cyrillic]))).toMatch(/^(plain words ){20}\uFFFD+$/)
  })

  test('is empty for an empty file', () => {
    expect(decodeText(Buffer.alloc(0))).toBe('')
  })

  const binary = 'binary data: a zero byte is among its first 8000'
  const unknown = 'not text in UTF-8, UTF-16 or Windows-1252'
  test.each([
    ['zero bytes', Buffer.from('PK\0\0\0data and more data'), binary],
    ['one zero byte', Buffer.from(`${'words '.repeat(1333)}\0`), binary],
    ['UTF-16 full of zeros', Buffer.concat([bytes(0xff, 0xfe), Buffer.alloc(40)]), binary],
    ['mostly broken bytes', Buffer.from(Array.from({ length: 100 }, (_, index) => 0x80 + (index % 64))), unknown],
    ['Windows-1251', bytes(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x20, 0xec, 0xe8, 0xf0), unknown],
    ['Shift JIS', bytes(0x83, 0x65, 0x83, 0x58, 0x83, 0x67), unknown],
    ['control codes among accents', latin1('caf\xe9 \x01 th\xe9'), unknown],
    ['accents with a code that Windows-1252 lacks', latin1('caf\xe9 \x81 th\xe9'), unknown],
    ['compressed data', bytes(0x1f, 0x8b, 0x08, 0x15, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x41, 0x86), unknown],
  ])('is rejected for %s', (_, bytes, reason) => {
    expect(decodeText(bytes)).toEqual({ reason })
  })

  test('is read or rejected, whatever the bytes', () => {
    const marks = fc.constantFrom([], [0xff, 0xfe], [0xfe, 0xff], [0xef, 0xbb, 0xbf])
    const textual = fc.array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff })))
    const body = fc.oneof(fc.uint8Array({ maxLength: 300 }), textual)
    fc.assert(
      fc.property(marks, body, (mark, rest) => {
        const read = decodeText(Buffer.from([...mark, ...rest]))
        expect(typeof (typeof read === 'string' ? read : read.reason)).toBe('string')
      }),
      { numRuns: 2_000 },
    )
  })

  test('is decoded in large files whose encoding is hard to detect', () => {
    const accents = latin1('é a'.repeat(3_300_000))
    for (const bytes of [accents, Buffer.concat([Buffer.from('ï'), accents])])
      expect(decodeText(bytes)).toEqual({ reason: 'not text in UTF-8, UTF-16 or Windows-1252' })
  })
})
