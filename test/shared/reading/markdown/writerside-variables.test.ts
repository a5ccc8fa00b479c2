import { expect, test } from 'vitest'
import { markdownReader } from '../../../../shared/reading/markdown/reader.ts'
import { contextOf, pageText } from '../page-text.ts'

const print = async (text: string, files: Record<string, string> = {}) =>
  pageText(await markdownReader(text, contextOf('docs/topics/page.md', files)))
const list = (name: string, value: string) => `<vars>\n  <var name="${name}" value="${value}"/>\n</vars>`

test('variables of v.list and of the page are replaced in text, headings, titles and code, and unknown ones stay', async () => {
  const text = `[//]: # (title: Install %kit_version%)

<var name="plugin" value="Cache"/>

## Install %plugin%

The [%plugin%](x.md) needs kit %kit_version%, see %PATH% and 50%.

\`\`\`kotlin
install(%plugin%) // %kit_version%
\`\`\``
  expect(await print(text, { 'docs/v.list': list('kit_version', '3.2') })).toMatchInlineSnapshot(`
    "# Install 3.2

    ## Install Cache

    The Cache needs kit 3.2, see %PATH% and 50%.

    ~~~ kotlin
    install(Cache) // 3.2
    ~~~"
  `)
})

test('variables are in the file that writerside.cfg names', async () => {
  const files = { 'docs/writerside.cfg': '<ihp><vars src="cfg/vars.list"/></ihp>', 'docs/cfg/vars.list': list('a', 'b') }
  expect(await print('Use %a%.', files)).toBe('# (no title)\n\nUse b.')
})

test('variables that grow a page without limit stay', async () => {
  const text = `<var name="a" value="${'x'.repeat(3_000)}"/>\n\n${'%a%\n\n'.repeat(200)}`
  expect((await print(text)).length).toBeLessThan(210_000)
})

const library = `<topic title="Library">
    <snippet id="add">
        <p>
            Add <code>%artifact%</code>:
        </p>
        <tabs>
            <tab title="Gradle">
                <code-block lang="Kotlin">
                    dependencies {
                        implementation("kit:%artifact%")
                    }
                </code-block>
            </tab>
        </tabs>
    </snippet>
    <snippet id="steps">
        <list>
            <li>Open it.</li>
        </list>
    </snippet>
</topic>`

test('elements of a topic are included with the variables of the page, and each include may have its own', async () => {
  const text = `<var name="artifact" value="kit-core"/>

## Add

<include from="lib.topic" element-id="add"/>

## Add tests

<include from="lib.topic" element-id="add">
<var name="artifact" value="kit-test"/>
</include>

<include from="lib.topic" element-id="steps"/>
<include from="lib.topic" element-id="missing"/>`
  expect(await print(text, { 'docs/topics/lib.topic': library })).toMatchInlineSnapshot(`
    "# (no title)

    ## Add

    Add \`kit-core\`:

    ~~~ kotlin, "Gradle", group 1
    dependencies {
        implementation("kit:kit-core")
    }
    ~~~

    ## Add tests

    Add \`kit-test\`:

    ~~~ kotlin, "Gradle", group 2
    dependencies {
        implementation("kit:kit-test")
    }
    ~~~

    - Open it."
  `)
})

test('elements of a page are a snippet, a section with its sections, or a block above an attribute list', async () => {
  const source = `# Source

<snippet id="part">

One.

</snippet>

## Section {id="section"}

Two.

### Below

Three.

## Next

Before.

> Four.
{id="note" style="note"}`
  const files = { 'docs/topics/source.md': source }
  const included = (id: string) => print(`<include from="source.md" element-id="${id}"/>`, files)
  expect(await included('part')).toBe('# (no title)\n\nOne.')
  expect(await included('section')).toBe('# (no title)\n\n## Section\n\nTwo.\n\n## Section > Below\n\nThree.')
  expect(await included('note')).toBe('# (no title)\n\n> Four.')
})

test('an element that includes itself ends', async () => {
  const files = { 'docs/topics/a.md': '<snippet id="a">\nA.\n<include from="a.md" element-id="a"/>\n</snippet>' }
  expect(await print('<include from="a.md" element-id="a"/>', files)).toBe('# (no title)\n\nA.')
})
