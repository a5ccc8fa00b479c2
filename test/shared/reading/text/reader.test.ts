import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { textReader } from '../../../../shared/reading/text/reader.ts'
import { codeOf, contextOf, pageText } from '../page-text.ts'

const read = async (text: string) => textReader(text, contextOf('docs/guide.txt'))

describe('a plain text', () => {
  test('has titles at lines with a rule below or around them, and code in indented or fenced blocks', async () => {
    const text = `=====
Guide
=====

First words
go on here.

Install
-------
Run this:

    npm install acme

    acme start

then

\`\`\`js
run()
\`\`\`
done.
`
    expect(pageText(await read(text))).toMatchInlineSnapshot(`
      "# Guide

      First words
      go on here.

      ## Install

      Run this:

      ~~~
      npm install acme

      acme start
      ~~~

      then

      ~~~ js
      run()
      ~~~

      done."
    `)
  })

  test('has the line numbers of its blocks', async () => {
    const page = await read('One\n\nTwo\n===\n\n\nThree\n\n\tcode\n')
    expect(page.sections.flatMap(({ line, blocks }) => [line, ...blocks.map((block) => block.line)])).toEqual([1, 1, 3, 7, 9])
  })

  test('is read as Markdown if it looks like it', async () => {
    expect(
      pageText(await read('# Acme\n\n> Docs\n\n## Pages\n\n- [Guide](https://acme.example/guide.md): how\n')),
    ).toMatchInlineSnapshot(`
      "# Acme

      > Docs

      ## Pages

      - Guide: how"
    `)
  })

  test('is read as reStructuredText if it looks like it', async () => {
    expect(codeOf(await read('Title\n=====\n\n.. code-block:: python\n\n   run()\n'))).toMatchObject([
      { language: 'python', code: 'run()' },
    ])
  })

  test('keeps the rest as code if a fence is never closed', async () => {
    expect(codeOf(await read('words\n```\na\n\n    b'))).toMatchObject([{ code: 'a\n\n    b' }])
  })

  test('loses no word, whatever it is', async () => {
    const line = fc.constantFrom('', 'word', '    deep', '\tdeep', '---', '=====', '```', '~~~ js', '- item', 'Title', '* * *')
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
        const words = (text: string) => text.match(/word|deep|item|Title/g)?.length ?? 0
        expect(words(pageText(await read(lines.join('\n'))))).toBe(words(lines.join('\n')))
      }),
      { numRuns: 300 },
    )
  })

  test('is read to its end if it has 100,000 fences or rules', async () => {
    expect(codeOf(await read('```\nx\n```\n'.repeat(33_000)))).toHaveLength(33_000)
    await read('=====\n'.repeat(100_000))
    await read(' '.repeat(1_000_000))
  })
})

test.each([
  ['empty lines', '\n'],
  ['blank lines', ' \n'],
  ['carriage returns', '\r'],
  ['indented lines between blank ones', '    a\n\n \n'],
  ['rules', '===\n\n'],
  ['open fences', '```\n\n'],
])('a plain text is read in steps proportional to its lines: %s', async (_, line) => {
  const steps = async (lines: number) => {
    const trim = vi.spyOn(String.prototype, 'trim')
    try {
      await read(line.repeat(lines))
      return trim.mock.calls.length
    } finally {
      trim.mockRestore()
    }
  }
  expect(await steps(800)).toBeLessThan(2.5 * (await steps(400)))
})
