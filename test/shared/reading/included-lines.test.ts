import { describe, expect, test } from 'vitest'
import { markdownReader, mdxReader } from '../../../shared/reading/markdown/reader.ts'
import type { Page } from '../../../shared/reading/page/page.ts'
import { rstReader } from '../../../shared/reading/rst/reader.ts'
import { contextOf } from './page-text.ts'

const placesOf = ({ sections }: Page) =>
  sections.map(({ headings, file, line, blocks }) => [
    headings.join(' > '),
    `${file ?? ''}:${line}`,
    ...blocks.map((block) => `${block.file ?? ''}:${block.line}`),
  ])

describe('the place of included text', () => {
  test('is its file and line in Markdown, also in an include of an include and a region', async () => {
    const files = {
      'parts/a.md': '---\ntitle: A\n---\n\n## A\n\nText.\n\n--8<-- "parts/b.md:two"\n\nEnd of a.\n',
      'parts/b.md': 'One.\n\n<!-- --8<-- [start:two] -->\n### B\n\nTwo.\n<!-- --8<-- [end:two] -->\n',
    }
    const page = await markdownReader('# Page\n\n--8<-- "parts/a.md"\n\n## Own\n\nOwn.\n', contextOf('page.md', files))
    expect(placesOf(page)).toEqual([
      ['A', 'parts/a.md:5', 'parts/a.md:7'],
      ['A > B', 'parts/b.md:4', 'parts/b.md:6', 'parts/a.md:11'],
      ['Own', ':5', ':7'],
    ])
  })

  test('is its file and line in MDX, also for an exported component', async () => {
    const files = {
      'docs/note.mdx': '\n\n:::note\n\nRead <b>this</b>.\n\n:::\n\n```js\nrun()\n```\n',
      'docs/tip.mdx': "export const kind = 'tip'\n\nexport const Tip = () => (\n  <p>\n    Take a break.\n  </p>\n)\n",
    }
    const text = 'import Note from "./note.mdx"\nimport { Tip } from "./tip.mdx"\n\n# Page\n\n<Note />\n\n<Tip />\n\nOwn.\n'
    expect(placesOf(await mdxReader(text, contextOf('docs/page.mdx', files)))).toEqual([
      ['', ':1', 'docs/note.mdx:3', 'docs/note.mdx:5', 'docs/note.mdx:9', 'docs/tip.mdx:5', ':10'],
    ])
  })

  test('is its file and line in reStructuredText, also for a part', async () => {
    const files = {
      'parts/a.txt': 'Before.\n\n.. start\n\nLegend\n------\n\nDark.\n\n.. include:: b.rst\n',
      'parts/b.rst': 'Light.\n',
    }
    const text = 'Map\n===\n\n.. include:: parts/a.txt\n   :start-after: .. start\n\nOwn\n---\n\nText.\n'
    expect(placesOf(await rstReader(text, contextOf('map.rst', files)))).toEqual([
      ['Legend', 'parts/a.txt:5', 'parts/a.txt:8', 'parts/b.rst:1'],
      ['Own', ':7', ':10'],
    ])
  })
})
