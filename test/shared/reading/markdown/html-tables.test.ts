import { expect, test } from 'vitest'
import { readPage } from '../../../../shared/reading/read-page.ts'
import { contextOf, pageText } from '../page-text.ts'

const print = async (text: string, path = 'docs/page.md') => pageText(await readPage(text, contextOf(path)))

test.each(['md', 'mdx'])(
  'an HTML table in .%s is a Markdown table, and cells below a row span stay in their column',
  async (extension) => {
    const span = extension === 'mdx' ? 'rowSpan={2}' : 'rowspan="2"'
    const text = `## Ranges

<table><tr><th>Field</th><th>Part</th><th>Meaning</th></tr>
<tr><td ${span}>range</td><td>from</td><td>the <b>start</b> &amp; more</td></tr><tr><td>to</td><td>a | b</td></tr></table>

After.
`
    expect(await print(text, `docs/page.${extension}`)).toBe(`# (no title)

## Ranges

| Field | Part | Meaning |
| --- | --- | --- |
| range | from | the start & more |
|  | to | a \\| b |

After.`)
  },
)

test('cells of an HTML table hold Markdown, lists, tables and code, also after blank lines', async () => {
  const text = `- An item:

  <table>
    <caption>Options</caption>
    <thead>
      <tr>
        <th>Name</th>
        <th>Text</th>
      </tr>
    </thead>
    <tbody>
      <tr>
        <td><code>range</code></td>
        <td>

  Some **words** and a [link](x).

  - item
  - other

  \`\`\`html
  <td>not a cell</td>
  \`\`\`

        </td>
      </tr>
      <tr><td colspan="2"><ul><li>wide</li></ul></td></tr>
      <tr><td>parts<td>Values: <table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>
    </tbody>
  </table>

Next.
`
  expect(await print(text)).toBe(`# (no title)

- An item:

**Options**

| Name | Text |
| --- | --- |
| \`range\` | Some **words** and a link. - item - other |

~~~ html
<td>not a cell</td>
~~~

| Name | Text |
| --- | --- |
| - wide |  |
| parts | Values: a, b; c |

Next.`)
})

test('a table that is only the layout of a page keeps its code and headings in their order', async () => {
  const text = '<table><tr><td>\n\n### Before\n\n```js\nold()\n```\n\n</td></tr></table>\n\nEnd.\n'
  expect(await print(text)).toBe('# (no title)\n\n**Before**\n\n~~~ js\nold()\n~~~\n\nEnd.')
})

test('a list in a cell of a Markdown table stays on the line of its row', async () => {
  const text = '| Name | Values |\n|---|---|\n| mode | One of: <ul><li>`a`</li><li>b</li></ul> |\n| size | any |\n'
  expect(await print(text)).toBe('# (no title)\n\n| Name | Values |\n|---|---|\n| mode | One of: - `a` - b |\n| size | any |')
})

test('an HTML table that is not closed, and one in code, are left as they are', async () => {
  expect(await print('```html\n<table><tr><td>x</td></tr></table>\n```\n\n<table><tr><td>open\n\nText.\n')).toContain('Text.')
  const code = '```html\n<table><tr><td>x</td></tr></table>\n```'
  expect(await print(code)).toBe('# (no title)\n\n~~~ html\n<table><tr><td>x</td></tr></table>\n~~~')
})

test.each([
  ['tables that nothing closes', '<table><tr><td>x\n\n'.repeat(20_000)],
  ['tables in each other', `${'<table><tr><td>'.repeat(20_000)}x${'</td></tr></table>'.repeat(20_000)}`],
  [
    'spans of thousands of rows and columns',
    `<table>${'<tr><td rowspan="9999" colspan="9999">x</td></tr>'.repeat(2_000)}</table>`,
  ],
])('%s are read before the limit of a test', async (_, text) => {
  await print(text)
})
