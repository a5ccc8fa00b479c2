import { expect, test } from 'vitest'
import { markdownReader } from '../../../../shared/reading/markdown/reader.ts'
import { contextOf, pageText } from '../page-text.ts'

const print = async (text: string, files: Record<string, string> = {}) =>
  pageText(await markdownReader(text, contextOf('topics/page.md', files)))

test('tabs and code of Writerside are read, in one line or several', async () => {
  const text = `<tldr>
<p>
<b>Required</b>: <code>kit.jar</code>
</p>
</tldr>

<tabs>
<tab title="Linux" group-key="linux">
<code-block>./run --all</code-block>
</tab>
<tab title="Maven">
        <code-block lang="XML">
        <![CDATA[
            <a>
              <b/>
            </a>
        ]]>
        </code-block>
</tab></tabs>

<code-block lang="XML" code="&lt;a/&gt;"/>

<procedure title="Set it up">
<step>Open \`/x/{id}\`.</step>
<step>Click <control>Save</control> or <shortcut>Ctrl+S</shortcut>, not {this}.</step>
</procedure>
{style="tip"}

Use \`<code-block>\` as text.`
  expect(await print(text)).toMatchInlineSnapshot(`
    "# (no title)

    Required: \`kit.jar\`

    ~~~ "Linux", group 1
    ./run --all
    ~~~

    ~~~ xml, "Maven", group 1
    <a>
      <b/>
    </a>
    ~~~

    ~~~ xml
    <a/>
    ~~~

    **Set it up**

    Open \`/x/{id}\`.
    Click Save or \`Ctrl+S\`, not {this}.

    Use \`<code-block>\` as text."
  `)
})

test('an empty fence with a source is a listing of the file', async () => {
  const files = { 'codeSnippets/snippets/app.kt': 'one\n  two\n  three\nfour\n  five\n' }
  const text =
    'Text\n\n```kotlin\n```\n{src="snippets/app.kt" include-lines="2-3,5"}\n\n```\n```\n\n{src="snippets/app.kt"}\n\n```kotlin\nown\n```\n{src="snippets/app.kt"}\n\n```sh\n```\n{src="https://example.com/x.sh"}'
  expect(await print(text, files)).toMatchInlineSnapshot(`
    "# (no title)

    Text

    ~~~ kotlin
    two
    three
    five
    ~~~

    ~~~
    one
      two
      three
    four
      five
    ~~~

    ~~~ kotlin
    own
    ~~~"
  `)
})

test('many unclosed elements are read within the limit of a test', async () => {
  expect(await print('<code-block lang="x">\n'.repeat(50_000))).toBeDefined()
})
