import { describe, expect, test } from 'vitest'
import { splitAsciidoc } from '../../../shared/ingest/split-asciidoc.ts'
import { codeOf, contextOf, pageText, proseOf } from './page-text.ts'

const read = async (text: string, files: Record<string, string> = {}) => splitAsciidoc(text, contextOf('docs/page.adoc', files))
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

  test('headings and blocks know their line in the page, and what is included stands at the line before it', async () => {
    const text = '= T\n\n== S\n\nText.\n\ninclude::part.adoc[]\n\n[source,sh]\n----\nls\n----\n'
    const page = await read(text, { 'docs/part.adoc': '\n\n\n\n\n\n\n\n\nPart.' })
    expect(page.sections).toEqual([
      {
        headings: ['S'],
        line: 3,
        blocks: [
          { kind: 'prose', text: 'Text.', line: 5 },
          { kind: 'prose', text: 'Part.', line: 5 },
          { kind: 'code', code: 'ls', language: 'sh', line: 10 },
        ],
      },
    ])
  })
})

describe('AsciiDoc: inline markup', () => {
  test.each([
    ['*bold* _emph_ `code` #mark# H~2~O', '**bold** *emph* `code` mark H2O'],
    ['`+Map<K, V>+` and `List<T>` & `a->b`', '`Map<K, V>` and `List<T>` & `a->b`'],
    ["don't -- really... (C) -> \"`quoted`\"", 'don\'t -- really... (C) -> "quoted"'],
    ['xref:other.adoc#x[Other page], xref:more.adoc[], <<here>>, <<here,this>>', 'Other page, more, Here it is, this'],
    ['https://x.y[a link], link:a.html[another], https://bare.url', 'a link, another, https://bare.url'],
    ['kbd:[Ctrl+C] image:x.png[Alt text] image:one.png[] note:x', 'Ctrl+C Alt text  note:x'],
    ['javadoc:org.foo.Bar$Baz#run(int)[] or javadoc:org.foo.Bar[`Bar`]', '`Bar.Baz#run(int)` or `Bar`'],
    ['{unknown-url}path/x.html[Boot] and {defined}', 'Boot and yes'],
    ['[[anchor]]anchored footnote:[A note] \\*kept* +++<u>under</u>+++', 'anchored  (A note) *kept* under'],
  ])('%s', async (source, expected) => {
    const page = await read(`:defined: yes\n\n${source}\n\n[[here]]\n== Here it is\n`)
    expect(page.sections[0]?.blocks ?? [{ text: proseOf(page) }]).toMatchObject([{ text: expected }])
  })
})

describe('AsciiDoc: blocks', () => {
  test('lists keep their order and depth, and code in them stands on its own', async () => {
    const text = `
* one
** nested
* two
+
[source,js]
----
x()
----
+
after

. first
.. sub
. second

* [x] done

term:: what it is
other::
+
....
raw
....
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      - one
        - nested
      - two

      ~~~ js
      x()
      ~~~

      after
        1. first
           1. sub
        2. second
      - [x] done

        **term**: what it is

        **other**:

      ~~~
      raw
      ~~~"
    `)
  })

  test('admonitions, sidebars, quotes and examples keep what they hold', async () => {
    const text = `
NOTE: Careful.

[WARNING]
.Hot
====
In a block

----
code()
----
====

.Aside
****
In a sidebar.
****

[quote,Ann Lee]
____
Quoted.
____

====
An example.
====

++++
<p>passed <b>through</b></p>
++++
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      **Note:** Careful.

      **Warning:** Hot. In a block

      ~~~
      code()
      ~~~

      **Aside**

      In a sidebar.

      Quoted.

      -- Ann Lee

      An example.

      passed through"
    `)
  })

  test('a table is a Markdown table, and code in a cell follows its row', async () => {
    const text = `
.Keys
[cols="1,1a"]
|===
|Key |Value

|a\\|b
|one \`x\`

|code
|
[source,sh]
----
ls
----

|last
|row
|===
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      **Keys**

      | Key | Value |
      | --- | --- |
      | a\\|b | one \`x\` |
      | code |  |

      ~~~ sh
      ls
      ~~~

      | Key | Value |
      | --- | --- |
      | last | row |"
    `)
  })

  test('conditionals and attributes apply as asciidoctor has them', async () => {
    const text = ':v: 2\n\nifdef::v[]\nshown {v}\nendif::[]\n\nifndef::v[]\nhidden\nendif::[]\n\nifeval::["{v}" == "2"]\nequal\nendif::[]\n'
    expect(await print(text)).toBe('# (no title)\n\nshown 2\n\nequal')
  })
})

describe('AsciiDoc: code', () => {
  test('every kind of listing is found, in order, with language and label, callouts in it and below', async () => {
    const text = `
.App.java
[source,java]
----
run(List<String> a); // <1>
----
<1> Runs *it*

[source,xml,subs="attributes,verbatim"]
----
<v>{version}</v>
----

[source,sh,subs="+quotes"]
----
run *this* > out
----

----
{version} stays
----

....
literal
....

 indented

\`\`\`ruby
fenced
\`\`\`

[,yaml]
----
short: form
----
`
    const page = await read(`:version: 1.2\n${text}`)
    expect(codeOf(page).map(({ code, language, label }) => [language, code, ...(label ? [label] : [])])).toEqual([
      ['java', 'run(List<String> a); // <1>', 'App.java'],
      ['xml', '<v>1.2</v>'],
      ['sh', 'run this > out'],
      ['', '{version} stays'],
      ['', 'literal'],
      ['', 'indented'],
      ['ruby', 'fenced'],
      ['yaml', 'short: form'],
    ])
    expect(proseOf(page)).toBe('1. Runs **it**')
  })

  test('tabs give their code a label and one group, and say the label where there is prose', async () => {
    const text = `
.Running
[tabs]
====
Maven::
+
[source,bash,role="primary"]
----
./mvnw
----

Gradle::
+
Or so:
+
[source,bash,role="secondary"]
----
./gradlew
----
====

[source,java,role="primary"]
----
a();
----

.Kotlin
[source,kotlin,role="secondary"]
----
a()
----

[source,java]
----
alone();
----
`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      **Running**

      ~~~ bash, "Maven", group 1
      ./mvnw
      ~~~

      **Gradle**

      Or so:

      ~~~ bash, "Gradle", group 1
      ./gradlew
      ~~~

      ~~~ java, "java", group 2
      a();
      ~~~

      ~~~ kotlin, "Kotlin", group 2
      a()
      ~~~

      ~~~ java
      alone();
      ~~~"
    `)
  })
})

describe('AsciiDoc: hostile and broken input', () => {
  test('blocks that do not end, tables that do not close and unknown macros are read', async () => {
    expect(codeOf(await read('----\nopen\n\nto the end'))).toMatchObject([{ code: 'open\n\nto the end' }])
    expect(proseOf(await read('|===\n|a |b\n'))).toContain('| a | b |')
    expect(proseOf(await read('foo::bar[baz]\n\n[.role\ntext'))).toContain('text')
  })

  test('nesting without end is refused with an error, not a hang', async () => {
    const fences = Array.from({ length: 400 }, (_, level) => '='.repeat(level + 4)).join('\n\n')
    await expect(read(fences)).rejects.toThrow('AsciiDoc nests deeper than 200 levels')
    await expect(read('> '.repeat(50_000))).rejects.toThrow()
  })

  test('CRLF and a byte order mark change nothing', async () => {
    const plain = '= Title\n\nText.\n\n----\na\n\nb\n----\n'
    expect(await read(`\uFEFF${plain.replaceAll('\n', '\r\n')}`)).toEqual(await read(plain))
  })

  test('a line of half a megabyte is read in time', async () => {
    expect(proseOf(await read('word '.repeat(100_000))).length).toBe(499_999)
  }, 5000)
})
