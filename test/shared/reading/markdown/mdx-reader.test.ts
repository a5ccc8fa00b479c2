import { describe, expect, test } from 'vitest'
import { mdxReader } from '../../../../shared/reading/markdown/mdx-reader.ts'
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
  test('components go and leave their titles, their tabs name the code, modules and comments go', async () => {
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

  test('a line of broken JSX is read as text and costs the page nothing', async () => {
    expect(await print(`${page}\n<Unclosed> when a < b {\n`)).toBe(`${await print(page)}\n\nwhen a < b {`)
  })

  test('a page full of broken JSX is read as Markdown: no code and no prose is lost', async () => {
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

  test('Docusaurus admonitions are read in MDX as well', async () => {
    expect(await print(':::note[Mind]\n\nText <b>x</b>\n\n:::\n\nEnd')).toBe('# (no title)\n\n**Mind**\n\nText x\n\nEnd')
  })
})
