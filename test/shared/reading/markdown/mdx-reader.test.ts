import { describe, expect, test } from 'vitest'
import { mdxReader } from '../../../../shared/reading/markdown/reader.ts'
import { codeOf, contextOf, pageText } from '../page-text.ts'

const read = async (text: string) => mdxReader(text, contextOf('docs/page.mdx'))
const print = async (text: string) => pageText(await read(text))

const page = `---
title: Page
---
import { Card } from '/snippets/card.mdx'
export const meta = {
  a: 1,

  b: 2,
}

{/* a remark */}
<!-- another -->

# Heading {#id}

<Tabs items={['npm', 'yarn']}>
  <Tab>
    \`\`\`sh
    npm i
    \`\`\`
  </Tab>
  <Tab>
    Use yarn:

    \`\`\`sh title="y.sh"
    yarn {a}
    \`\`\`
  </Tab>
</Tabs>

<Accordion title="More about it">
  Inner **text** with <b>bold</b> {"string"} {props.x} <https://x.y>.
  - a
  - b [l](u)
</Accordion>

<Steps>
  <Step title="One">
    ### Deep
    Do it.
  </Step>
</Steps>

<Note>Careful <a href="x">now</a></Note>
## After note

<ParamField path="id" type="string" required>The id.</ParamField>

<CodeGroup>
\`\`\`bash cURL
curl
\`\`\`
\`\`\`js JavaScript SDK
js
\`\`\`
</CodeGroup>

\`\`\`js twoslash {1,3}
flagged
\`\`\`
`

describe('MDX', () => {
  test('components are removed but for their titles, tab titles name the code, and modules and comments are removed', async () => {
    expect(await print(page)).toMatchInlineSnapshot(`
      "# Page

      ## Heading

      ~~~ sh, "npm", group 1
      npm i
      ~~~

      **yarn**

      Use yarn:

      ~~~ sh, "y.sh", group 1
      yarn {a}
      ~~~

      **More about it**

      Inner **text** with bold string  https://x.y.

      - a
      - b l

      **One**

      ## Heading > Deep

      Do it.

      **Note**

      Careful now

      ## Heading > After note

      **id (string, required)**

      The id.

      ~~~ bash, "cURL", group 2
      curl
      ~~~

      ~~~ js, "JavaScript SDK", group 2
      js
      ~~~

      ~~~ js
      flagged
      ~~~"
    `)
  })

  test('a line of broken JSX is read as text without loss of other text', async () => {
    expect(await print(`${page}\n<Unclosed> when a < b {\n`)).toBe(`${await print(page)}\n\nwhen a < b {`)
  })

  test('a page full of broken JSX is read as Markdown without loss of code and prose', async () => {
    const broken =
      'import a from "a"\n\n{/* gone */}\n\n<Card title="Card">\n    Text\n\n        ```js\n        x\n        ```\n'.repeat(10)
    const text = await print(broken)
    expect(text.match(/~~~ js\nx\n~~~/g)).toHaveLength(10)
    expect(
      text
        .replace(/~~~ js\nx\n~~~/g, 'CODE')
        .split(/\s+/)
        .slice(3),
    ).toEqual(Array(10).fill(['**Card**', 'Text', 'CODE']).flat())
  })

  test('a listing given as a string is code, verbatim', async () => {
    const [code] = codeOf(await read('<CodeBlock language="py" title="f.py">{`\nif x:\n    y = \\`z\\`\n`}</CodeBlock>'))
    expect(code).toMatchObject({ language: 'py', label: 'f.py', code: 'if x:\n    y = `z`' })
  })

  test('lines are those of the file', async () => {
    const { sections } = await read('---\ntitle: T\n---\n\n<Note>\n\n  Text\n\n  ```js\n  x\n  ```\n</Note>\n\n## A\n\nb')
    expect(sections.map(({ line, blocks }) => [line, ...blocks.map((block) => block.line)])).toEqual([
      [1, 5, 7, 9],
      [14, 16],
    ])
  })

  test('tags that MDX rejects cost no text: a closing tag after text, text after a tag, a tag that nothing closes', async () => {
    const text =
      '<Tip>First\nsecond.</Tip>\n\n<Card title="A">\n\nText of A.</Card>\n\n<Foo>\n\nA `Map<string>`, or Map<string>.\n\n```js\nx\n```'
    expect(await print(text)).toBe(
      '# (no title)\n\n**Tip**\n\nFirst\nsecond.\n\n**A**\n\nText of A.\n\nA `Map<string>`, or Map<string>.\n\n~~~ js\nx\n~~~',
    )
  })

  test('objects, words in braces and unknown templates are text, expressions are not', async () => {
    expect(await print('{\n  "a": 1\n}\n\nSay {your name} and {{ user.name }}, {props.x}done.')).toBe(
      '# (no title)\n\n{\n"a": 1\n}\n\nSay {your name} and {{ user.name }}, done.',
    )
  })

  test('HTML listings, headings and a component with a table of data are read', async () => {
    const data = Array.from({ length: 200 }, (_, i) => `  { name: "item ${i}", description: "Text > in a table" },`)
    const grid = ['<Grid', '  items={[', ...data, '  ]}', '/>']
    expect(
      await print(
        ['<h2 id="a">Set <b>up</b></h2>', '<pre class="language-sh"><code>a &lt; b', 'c</code></pre>', ...grid, 'End'].join('\n'),
      ),
    ).toBe('# (no title)\n\n## Set up\n\n~~~ sh\na < b\nc\n~~~\n\nEnd')
  })

  test('components in a list stay in their item, and a tag ends the list before it', async () => {
    const text =
      '1. One\n\n   <Note>\n   Careful.\n   </Note>\n\n2. Two\n   <Tabs>\n     <Tab title="a">\n       ```js\n       x\n       ```\n     </Tab>\n   </Tabs>\n</Steps>\n<Card title="After">\n  Text\n</Card>'
    expect(await print(text)).toBe(
      '# (no title)\n\n1. One\n\n**Note**\n\nCareful.\n\n2. Two\n\n~~~ js, "a", group 1\nx\n~~~\n\n**After**\n\nText',
    )
  })

  test('Docusaurus admonitions are read in MDX as well', async () => {
    expect(await print(':::note[Mind]\n\nText <b>x</b>\n\n:::\n\nEnd')).toBe('# (no title)\n\n**Mind**\n\nText x\n\nEnd')
  })
})
