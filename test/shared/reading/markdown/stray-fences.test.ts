import { describe, expect, test } from 'vitest'
import { markdownReader, mdxReader } from '../../../../shared/reading/markdown/reader.ts'
import { codeOf, contextOf, pageText } from '../page-text.ts'

const print = async (text: string) => pageText(await markdownReader(text, contextOf('page.md')))
const mdx = async (text: string) => mdxReader(text, contextOf('page.mdx'))

describe('a stray fence', () => {
  test('leaves the tabs and notes of the page as they are if it is in a tab', async () => {
    const text =
      '=== "release"\n\n    Pick a tag.\n\n    ```\n    x\n    ```\n    ```\n\n=== "next"\n\n    ```sh\n    y\n    ```\n\n!!! note "Last"\n\n    Text.'
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      **release**

      Pick a tag.

      ~~~ "release", group 1
      x
      ~~~

      ~~~ sh, "next", group 1
      y
      ~~~

      **Last**

      Text."
    `)
  })

  test('ends with its list item if nothing closes it', async () => {
    expect(await print('- One\n\n    ```sh\n    run\n\n- Two\n\n## Next\n\n:::note\nText.\n:::')).toMatchInlineSnapshot(`
      "# (no title)

      - One

      ~~~ sh
      run
      ~~~

      - Two

      ## Next

      **Note**

      Text."
    `)
  })

  test('keeps code that is indented less than its fence', async () => {
    const text = '<Tabs>\n  <Tab title="a">\n   ```ts\n  const a = 1\n\n  b()\n  ```\n  </Tab>\n</Tabs>'
    expect(codeOf(await mdx(text))).toMatchObject([{ code: 'const a = 1\n\nb()', label: 'a' }])
  })

  test('costs no second reading of the rest of the page', async () => {
    const text = '    ```\n\nx\n\n'.repeat(30_000)
    expect((await markdownReader(text, contextOf('page.md'))).sections).toBeInstanceOf(Array)
  })
})

test('a container whose end is inside code is taken back alone', async () => {
  const text =
    '!!! note "One"\n\n    - item\n\n{% hint %}\n\n<pre>\n{% endhint %}\nx\n</pre>\n\n=== "Tab"\n\n    ```sh\n    y\n    ```'
  const printed = await print(text)
  expect(printed).toContain('**One**\n\n- item')
  expect(printed).toContain('**Note**')
  expect(printed).toContain('~~~ sh, "Tab"')
})

describe('a fence in MDX', () => {
  test.each([
    ['two tabs', '\t\t'],
    ['eight spaces', '        '],
    ['a tab and spaces', '\t    '],
  ])('works below a list item with %s before it', async (_, indent) => {
    const code = ['it("works", function (b) {', '\tb.ok("yes", { deep: true })', '', '    {b}', '});', '# not a heading']
    const lines = ['```js title="t.js"', ...code, '```'].map((line) => (line === '' ? '' : indent + line))
    const page = await mdx(`1. One\n2. Add the test:\n\n${lines.join('\n')}\n\n3. Then\n\n## Next\n\nText {'a'}.`)
    expect(codeOf(page)).toMatchObject([{ code: code.join('\n'), language: 'js', label: 't.js' }])
    expect(page.sections.map(({ headings }) => headings)).toEqual([[], ['Next']])
  })
})

test.each(['md', 'mdx'])('code that is indented less than its fence in a list stays code (%s)', async (extension) => {
  const code = '# DO NOT EDIT\nclass Kit:\n    def run(self):\n\n        return 1'
  const text = `1. First:\n\n    \`\`\`python\n${code}\n\`\`\`\n\n    **NOTE** Last of the item.\n\n2. Second.`
  expect(pageText(await (extension === 'md' ? markdownReader : mdxReader)(text, contextOf(`page.${extension}`)))).toBe(
    `# (no title)\n\n1. First:\n\n~~~ python\n${code}\n~~~\n\n**NOTE** Last of the item.\n\n2. Second.`,
  )
})

test('code below a fence that is indented by one space, which no list needs, loses that space', async () => {
  expect(codeOf(await mdx('Text.\n\n ```ts\na({\n   b: c,\n })\n```'))).toMatchObject([{ code: 'a({\n  b: c,\n})' }])
})
