import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rstReader } from '../../../../shared/reading/rst/reader.ts'
import { codeOf, contextOf, pageText } from '../page-text.ts'

const read = async (text: string) => rstReader(text, contextOf('docs/page.rst'))
const million = 1_000_000
const repeat = (part: string) => part.repeat(million / part.length)

describe('reStructuredText: hostile and broken input', () => {
  test('any text is read without an error', async () => {
    const marks = [
      '`',
      '``',
      ':',
      '::',
      '.. ',
      '..',
      '- ',
      '1. ',
      '|',
      '*',
      '_',
      '\\',
      '\n',
      '\n\n',
      '   ',
      '\t',
      '====',
      '+--+',
      '=== ===',
      ':a: ',
      'note::',
      '>>> ',
      'x',
      'é',
    ]
    const soup = fc.array(fc.constantFrom(...marks), { maxLength: 60 }).map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(fc.oneof(soup, fc.string({ unit: 'binary' })), async (text) => {
        expect(await read(text)).toHaveProperty('sections')
      }),
      { numRuns: 2000 },
    )
  })

  test('every listing is found again, however lists, notes and definitions are nested around it', async () => {
    const wrap = fc.constantFrom('- item\n\n', '.. note::\n\n', 'term\n', '1. item\n\n', '.. unknown:: x\n\n', ':field: text\n\n')
    const listing = fc.constantFrom('.. code-block:: python\n\n   LISTING\n', 'Shown::\n\n   LISTING\n', '>>> LISTING\n')
    const indent = (text: string) => text.replace(/^(?=.)/gm, '   ')
    const block = fc
      .tuple(fc.array(wrap, { maxLength: 6 }), listing)
      .map(([wraps, text]) => wraps.reduceRight<string>((inner, outer) => `${outer}${indent(inner)}`, text))
    await fc.assert(
      fc.asyncProperty(fc.array(block, { maxLength: 8 }), async (blocks) => {
        const found = codeOf(await read(blocks.join('\n\nText between.\n\n')))
        expect(found.filter(({ code }) => /^(>>> )?LISTING$/.test(code))).toHaveLength(blocks.length)
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['one line of letters', repeat('a')],
    ['backticks', repeat('`a ')],
    ['literals that do not end', repeat('a ``')],
    ['roles', repeat(':a:`b')],
    ['bars', repeat('|a')],
    ['backslashes', repeat('\\`')],
    ['bullets on one line', repeat('- ')],
    ['colons', `:${repeat('a:')}`],
    ['directives', repeat('.. a::\n')],
    ['tabs', repeat('\t')],
    ['adornments', repeat('=')],
  ])(
    'a megabyte of %s is read in time',
    async (_, text) => {
      expect(await read(text)).toHaveProperty('sections')
    },
    5000,
  )

  test('ten thousand levels of indentation keep their text', async () => {
    const levels = Array.from({ length: 10_000 }, (_, level) => `${' '.repeat(level)}x${level}`)
    const text = pageText(await read(levels.join('\n\n')))
    expect(text).toContain('x0')
    expect(text).toContain('x9999')
  })

  test('a text with CRLF, a byte order mark and tabs of eight columns is read like its plain form', async () => {
    const plain = '.. note::\n\n        Text::\n\n                code\n'
    const other = `\uFEFF${plain.replaceAll(' '.repeat(8), '\t').replaceAll('\n', '\r\n')}`
    expect(await read(other)).toEqual(await read(plain))
    expect(codeOf(await read('Text::\n\n  a\tb'))).toMatchObject([{ code: 'a     b' }])
  })

  test('a table of one endless row does not widen the others', async () => {
    const text = `.. csv-table::\n\n   ${'a,'.repeat(20_000)}\n${'   b\n'.repeat(20_000)}`
    expect(pageText(await read(text)).length).toBeLessThan(2_000_000)
  })
})

test('substitutions that double each other stop growing, and the page is read', async () => {
  const doubling = Array.from({ length: 60 }, (_, i) => `.. |x${i + 1}| replace:: |x${i}| |x${i}|`).join('\n')
  const page = await rstReader(`.. |x0| replace:: lol\n${doubling}\n\nTitle\n=====\n\nA |x60| and |x3|.\n`, {
    path: 'a.rst',
    readFile: () => undefined,
  })
  const text = JSON.stringify(page)
  expect(text.length).toBeLessThan(3_000_000)
  expect(text).toContain('lol lol lol lol')
})
