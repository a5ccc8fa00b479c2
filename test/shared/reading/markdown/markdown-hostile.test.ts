import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { markdownReader, mdxReader } from '../../../../shared/reading/markdown/reader.ts'
import { codeOf, contextOf, proseOf } from '../page-text.ts'

const markdown = async (text: string) => markdownReader(text, contextOf('page.md'))
const mdx = async (text: string) => mdxReader(text, contextOf('page.mdx'))
const lines = (count: number, line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i)).join('\n')

const grammar = fc
  .array(
    fc.constantFrom(
      ...[
        '# a',
        '## b',
        '```',
        '```js',
        '~~~',
        '> q',
        '> ```',
        '- x',
        '  - y',
        '1. z',
        '    i',
        '',
        '',
        'text',
        '***',
        '---',
        '===',
        '!!! note',
        '=== "t"',
      ],
      ...[
        '    body',
        '::: tip',
        ':::',
        '<div>',
        '</div>',
        '<Tabs>',
        '<Tab title="x">',
        '</Tab>',
        '<!--',
        '-->',
        '<pre>',
        '</pre>',
        '[a]: b',
        '{/*',
        '*/}',
        '{',
      ],
      ...[
        'import a from "b"',
        'export const x = {',
        '| a | b |',
        '|---|',
        '`',
        '``',
        '[x](',
        '![y]',
        '&amp;',
        '\t\tt',
        '--8<-- "x"',
        '+++',
        '<script>',
        '\\',
      ],
    ),
    { maxLength: 40 },
  )
  .map((each) => each.join('\n'))

describe('Markdown of any kind', () => {
  test('the readers throw for no text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(grammar, fc.string({ maxLength: 300 }), fc.string({ unit: 'binary', maxLength: 300 })),
        async (text) => {
          expect((await markdown(text)).sections).toBeInstanceOf(Array)
          expect((await mdx(text)).sections).toBeInstanceOf(Array)
        },
      ),
      { numRuns: 150 },
    )
  })

  test('prose never contains a fence', async () => {
    await fc.assert(
      fc.asyncProperty(grammar, async (text) => {
        expect(proseOf(await markdown(text))).not.toMatch(/^(?:```|~~~)/m)
      }),
      { numRuns: 150 },
    )
  })

  test('every fence is found again, in its order, with its text as written', async () => {
    const body = fc.array(
      fc.constantFrom('x', '  y', '', '# h', '<div>', '!!! note', ':::', '[a](b)', '{c}', '&amp;', '- i', '> q', '~~'),
      { maxLength: 5 },
    )
    const frame = fc.constantFrom('plain', 'list', 'quote', 'admonition', 'tab', 'colons', 'details')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(frame, body), { maxLength: 6 }), async (parts) => {
        const text = parts.map(([kind, body]) => framed(kind, body)).join('\n\nbetween\n\n')
        const found = codeOf(await markdown(text)).map(({ code }) => code)
        expect(found).toEqual(parts.map(([, body]) => body.join('\n')))
      }),
      { numRuns: 150 },
    )
  })
})

function framed(kind: string, body: string[]): string {
  const fence = ['```js', ...body, '```']
  const indented = fence.map((line) => `    ${line}`)
  if (kind === 'list') return ['1.  item', '', ...indented].join('\n')
  if (kind === 'quote') return fence.map((line) => `> ${line}`).join('\n')
  if (kind === 'admonition') return ['!!! note "x"', ...indented].join('\n')
  if (kind === 'tab') return ['=== "x"', '', ...indented].join('\n')
  if (kind === 'colons') return ['::: tip', ...fence, ':::'].join('\n')
  if (kind === 'details') return ['<details>', '<summary>s</summary>', ...fence, '</details>'].join('\n')
  return fence.join('\n')
}

describe('hostile Markdown', () => {
  test.each([
    ['10,000 nested quotes', '>'.repeat(10_000)],
    ['10,000 nested lists on a line', `${'- '.repeat(10_000)}x`],
    ['500 nested lists on lines', lines(500, (i) => `${' '.repeat(i * 2)}- x`)],
    ['500 nested admonitions', lines(500, (i) => `${' '.repeat(i * 4)}!!! note`)],
    ['5,000 open containers', '::: tip\n'.repeat(5000)],
    ['5,000 containers, one in the other', '::: tip\n'.repeat(5000) + ':::\n'.repeat(5000)],
    ['5,000 open components', '<Comp>\n\n'.repeat(5000)],
    ['a line of 1 MB', 'word '.repeat(200_000)],
    ['a heading of 100,000 stars', `# ${'*'.repeat(100_000)}`],
    ['open brackets', '['.repeat(100_000)],
    ['brackets in brackets', `${'['.repeat(5000)}${']'.repeat(5000)}\n\n[a]: x`],
    ['open links', '[a]('.repeat(5000)],
    ['open tags', '<a {"'.repeat(5000)],
    ['a long line of open tags that MDX repairs', '</a'.repeat(95_000)],
    ['open comments', '<!--'.repeat(10_000)],
    ['open headings in HTML', '<h1>'.repeat(10_000)],
    ['open code spans', '`a``b'.repeat(10_000)],
    ['stars', '****'.repeat(20_000)],
    ['open braces', '{('.repeat(10_000)],
    ['lines that lazily go on a quote', '> a\nb\n'.repeat(5000)],
    ['front matter that nests', `---\n${'a: {'.repeat(5000)}\n---\n`],
    ['NUL bytes and lone returns', '\0a\r'.repeat(10_000)],
    ['an open fence', `\`\`\`\n${'x\n'.repeat(10_000)}`],
    ['an import of blanks', `import a${' '.repeat(100_000)}\n`],
  ])('is read within the time limit of a file: %s', async (_, text) => {
    const start = process.cpuUsage()
    await markdown(text)
    await mdx(text)
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1e6).toBeLessThan(5)
  })

  test('is parsed only a few times if it is a long MDX page with many errors', async () => {
    const section = `## Run\n\n${'Call `run` with <b>one</b> argument, see [the guide](guide.md).\n\n- one\n- two\n\n'.repeat(12)}`
    const text = `${section.repeat(170)}${'a <b\n\n'.repeat(9)}The end.\n`
    const start = process.cpuUsage()
    const page = await mdx(text)
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(4)
    expect(proseOf(page)).toContain('The end.')
  })
})

test.each(['<script>', '<style type="text/css">', '<!-- note'])('an unclosed %s takes no more than its line', async (open) => {
  const page = await markdown(`# A\n\nBefore.\n\n${open}\n\n# B\n\nAfter.\n\n\`\`\`js\nrun()\n\`\`\`\n`)
  expect(proseOf(page)).toContain('After.')
  expect(codeOf(page).map(({ code }) => code)).toEqual(['run()'])
})
