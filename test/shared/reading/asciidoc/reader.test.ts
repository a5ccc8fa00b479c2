import { describe, expect, test } from 'vitest'
import { asciidocReader } from '../../../../shared/reading/asciidoc/reader.ts'
import { codeOf, contextOf, pageText, proseOf } from '../page-text.ts'

const read = async (text: string, files: Record<string, string> = {}) => asciidocReader(text, contextOf('docs/page.adoc', files))
const print = async (text: string) => pageText(await read(text))

describe('AsciiDoc: sections', () => {
  test('the document title is the page title, a description its lead, and sections nest', async () => {
    const text = `= Hello *Spring*
:description: What it is.

Preamble.

[[first]]
== First \`step\`

=== Deeper

Text.

[discrete]
== Not a section

== Second
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# Hello Spring

      What it is.

      Preamble.

      ## First step

      ## First step > Deeper

      Text.

      **Not a section**

      ## Second"
    `)
  })

  test('headings and blocks have their line in the page, and included blocks that in their file', async () => {
    const text = '= T\n\n== S\n\nText.\n\ninclude::part.adoc[]\n\n[source,sh]\n----\nls\n----\n'
    const page = await read(text, { 'docs/part.adoc': '\n\n\n\n\n\n\n\n\nPart.\n\nSecond.' })
    expect(page.sections).toEqual([
      {
        headings: ['S'],
        line: 3,
        blocks: [
          { kind: 'prose', text: 'Text.', line: 5 },
          { kind: 'prose', text: 'Part.', line: 10, file: 'docs/part.adoc' },
          { kind: 'prose', text: 'Second.', line: 12, file: 'docs/part.adoc' },
          { kind: 'code', code: 'ls', language: 'sh', line: 10 },
        ],
      },
    ])
  })
})

describe('inline markup of AsciiDoc', () => {
  test.each([
    ['*bold* _emph_ `code` #mark# H~2~O', '**bold** *emph* `code` mark H2O'],
    ['`+Map<K, V>+` and `List<T>` & `a->b`', '`Map<K, V>` and `List<T>` & `a->b`'],
    ['don\'t -- really... (C) -> "`quoted`"', 'don\'t -- really... (C) -> "quoted"'],
    ['xref:other.adoc#x[Other page], xref:more.adoc[], <<here>>, <<here,this>>', 'Other page, more, Here it is, this'],
    ['https://x.y[a link], link:a.html[another], https://bare.url', 'a link, another, https://bare.url'],
    ['kbd:[Ctrl+C] image:x.png[Alt text] image:one.png[] note:x', 'Ctrl+C Alt text  note:x'],
    ['javadoc:org.foo.Bar$Baz#run(int)[] or javadoc:org.foo.Bar[`Bar`]', '`Bar.Baz#run(int)` or `Bar`'],
    ['{unknown-url}path/x.html[Boot] and {defined}', 'Boot and yes'],
    ['[[anchor]]anchored footnote:[A note] \\*kept* +++<u>under</u>+++', 'anchored  (A note) *kept* under'],
  ])('becomes Markdown: %s', async (source, expected) => {
    const page = await read(`:defined: yes\n\n${source}\n\n[[here]]\n== Here it is\n`)
    expect(page.sections[0]?.blocks ?? [{ text: proseOf(page) }]).toMatchObject([{ text: expected }])
  })
})

describe('AsciiDoc: hostile and broken input', () => {
  test('blocks without an end, tables without an end and unknown macros are read', async () => {
    expect(codeOf(await read('----\nopen\n\nto the end'))).toMatchObject([{ code: 'open\n\nto the end' }])
    expect(proseOf(await read('|===\n|a |b\n'))).toContain('| a | b |')
    expect(proseOf(await read('foo::bar[baz]\n\n[.role\ntext'))).toContain('text')
  })

  test('endless nesting is rejected with an error', async () => {
    const fences = Array.from({ length: 400 }, (_, level) => '='.repeat(level + 4)).join('\n\n')
    await expect(read(fences)).rejects.toThrow('AsciiDoc nests deeper than 200 levels')
    await expect(read('> '.repeat(50_000))).rejects.toThrow()
  })

  test('line ends with CR and a byte order mark change nothing', async () => {
    const plain = '= Title\n\nText.\n\n----\na\n\nb\n----\n'
    expect(await read(`\uFEFF${plain.replaceAll('\n', '\r\n')}`)).toEqual(await read(plain))
  })

  test('a line of half a megabyte is read within the limit of a test', async () => {
    expect(proseOf(await read('word '.repeat(100_000))).length).toBe(499_999)
  })
})
