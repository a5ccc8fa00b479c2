import { expect, test } from 'vitest'
import { withDistinctTitle } from '../../../shared/reading/distinct-title.ts'
import { peekTitle } from '../../../shared/reading/peek-title.ts'
import { readPage } from '../../../shared/reading/read-page.ts'
import { contextOf, pageText } from './page-text.ts'

const distinct = async (path: string, text: string) =>
  pageText(withDistinctTitle(await readPage(text, contextOf(path)), path, peekTitle(text, path)))

test('a page whose title several pages have takes the heading that all of it is under', async () => {
  const text = '<h1 align="center">Kit</h1>\n\n## Routes\n\nA route.\n\n### Options\n\nMore.\n'
  expect(await distinct('docs/Reference/Routes.md', text)).toBe('# Routes\n\nA route.\n\n## Options\n\nMore.')
})

test.each([
  ['docs/life-cycle.md', 'Kit: Life cycle'],
  ['docs/streams/index.md', 'Kit: Streams'],
  ['docs/streams/kit.md', 'Kit: Streams'],
  ['index.md', 'Kit'],
  ['packages/kit/README.md', 'Kit'],
  ['kit.md', 'Kit'],
])('the title of %s without such a heading is %s', async (path, title) => {
  expect(await distinct(path, '# Kit\n\n## One\n\nText.\n\n## Two\n\nText.\n')).toBe(
    `# ${title}\n\n## One\n\nText.\n\n## Two\n\nText.`,
  )
})

test('a page whose title was misread in its first lines keeps it', async () => {
  expect(await distinct('docs/a.md', '```sh\n# install\n```\n\n# Kit\n\nText.\n')).toMatch(/^# Kit\n/)
})

test.each([
  ['a.md', '---\ntags: [x]\ntitle: "The Kit"\n---\n# Other\n', 'the kit'],
  ['a.md', "---\ntitle: What's New in 2\n---\n", "what's new in 2"],
  ['a.md', '<!-- note -->\n\n<h1 align="center">Kit</h1>\n', 'kit'],
  ['a.md', 'Some words.\n\n# `Kit` *run*\n', 'kit run'],
  ['a.rst', '.. _kit:\n\nKit\n===\n\n# no title\n', 'kit'],
  ['a.adoc', ':toc:\n\n= Kit\n', 'kit'],
  ['a.adoc', '[tabs]\n====\nkit\n====\n', ''],
  ['a.md', 'Kit\n===\n', 'kit'],
  ['a.yaml', '# Copyright\nopenapi: 3.1.0\n', ''],
  ['a.md', 'No heading.\n', ''],
])('the title of %s is seen in its first lines: %j', (path, text, title) => {
  expect(peekTitle(text, path)).toBe(title)
})
