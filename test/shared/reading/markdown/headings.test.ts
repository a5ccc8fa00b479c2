import { expect, test } from 'vitest'
import { markdownReader, mdxReader } from '../../../../shared/reading/markdown/reader.ts'
import { codeOf, contextOf, pageText } from '../page-text.ts'

const headingsOf = async (text: string) =>
  (await markdownReader(text, contextOf('docs/page.md'))).sections.map(({ headings }) => headings.at(-1))

test.each([
  ['## Usage {/*usage*/}', 'Usage'],
  ['## `useId()` {/*use-id*/}', 'useId()'],
  ['## Handle sessions {id="handle-sessions"}', 'Handle sessions'],
  ["## Handle sessions {id='handle-sessions' collapsible='true'}", 'Handle sessions'],
  ['## 9.7.6 March 19 { id="9.7.6" }', '9.7.6 March 19'],
  ['## Pivot a table [pivot-table]', 'Pivot a table'],
  ['## Pivot a table [pivot_table_1] ', 'Pivot a table'],
  ['## Pivot [beta]', 'Pivot [beta]'],
  ['## Rows a[i] [0]', 'Rows a[i] [0]'],
  ['## Path /users/{id}', 'Path /users/{id}'],
])('the heading %s is titled %s', async (heading, title) => {
  expect(await headingsOf(`# Page\n\n${heading}\n\nText.`)).toEqual([title])
})

test('a heading may end with a link whose reference looks like an anchor', async () => {
  expect(await headingsOf('# Page\n\n## See [set-up]\n\nText.\n\n[set-up]: x.md')).toEqual(['See set-up'])
})

test('a Markdown page with JSX comments in its headings is read as MDX', async () => {
  const text = `# Kit

<Sandpack>

\`\`\`js src/App.js active
place({ x: 1 })
\`\`\`

\`\`\`js [[1, 1, "use()"]]
use()
\`\`\`

</Sandpack>

### Usage {/*usage*/}

Call <CodeStep step={1}>usePlace</CodeStep> now.`
  const page = await markdownReader(text, contextOf('docs/page.md'))
  expect(codeOf(page).map(({ label }) => label)).toEqual(['src/App.js', undefined])
  expect(pageText(page)).toContain('## Usage\n\nCall usePlace now.')
})

test('the closing tag of a component is removed with its opening tag, also after a word', async () => {
  const text = 'Call <CodeStep step={1}>usePlace</CodeStep> now. A `List<T>` or Map<K, V> stays.'
  const expected = '# (no title)\n\nCall usePlace now. A `List<T>` or Map<K, V> stays.'
  expect(pageText(await markdownReader(text, contextOf('a.md')))).toBe(expected)
  expect(pageText(await mdxReader(text, contextOf('a.mdx')))).toBe(expected)
})

test('several imports on one line of a Markdown page are no text', async () => {
  const text = "import Tabs from '@theme/Tabs'; import TabItem from '@theme/TabItem';\n\nText."
  expect(pageText(await markdownReader(text, contextOf('a.md')))).toBe('# (no title)\n\nText.')
})
