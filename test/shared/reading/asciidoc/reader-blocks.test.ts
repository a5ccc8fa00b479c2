import { describe, expect, test } from 'vitest'
import { asciidocReader } from '../../../../shared/reading/asciidoc/reader.ts'
import { codeOf, contextOf, pageText, proseOf } from '../page-text.ts'

const read = async (text: string, files: Record<string, string> = {}) => asciidocReader(text, contextOf('docs/page.adoc', files))
const print = async (text: string) => pageText(await read(text))

describe('AsciiDoc: blocks', () => {
  test('lists keep their order and depth, and code in them is a separate block', async () => {
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

//-

. first
.. sub
. second

//-

* [x] done

//-

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

  test('admonitions, sidebars, quotes and examples keep their content', async () => {
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

  test('cells of a table below a row span and after a column span stay in their column', async () => {
    const text = `
|===
|Field |Part |Meaning

.2+|range |from |the start
|to |the end
2+|wide |last
|===
`
    expect(proseOf(await read(text))).toBe(`| Field | Part | Meaning |
| --- | --- | --- |
| range | from | the start |
|  | to | the end |
| wide |  | last |`)
  })

  test('a table becomes a Markdown table, and code in a cell follows its row', async () => {
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

  test('conditionals and attributes are applied as in asciidoctor', async () => {
    const text =
      ':v: 2\n\nifdef::v[]\nshown {v}\nendif::[]\n\nifndef::v[]\nhidden\nendif::[]\n\nifeval::["{v}" == "2"]\nequal\nendif::[]\n'
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

  test('tabs give their code a label and one group, and their prose starts with the label', async () => {
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
