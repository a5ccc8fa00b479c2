import { expect, test } from 'vitest'
import { overviewPage, readingOrder } from '../../../../shared/search/pages/reading-order.ts'

const pagesAt = (...paths: string[]) => paths.map((path, page) => ({ page, path, title: path, url: '', snippets: 1, tokens: 1 }))

test('pages are in reading order: overview first, matters of the project last, numbers by value, folders after the pages above', () => {
  const pages = pagesAt(
    ...['.github/support.md', 'CHANGELOG.md', 'README.md', 'docs/10-last.md', 'docs/2-next.md', 'docs/api/b.md'],
    ...['docs/index.md', 'use.md', 'CONTRIBUTING.md', 'docs/zoo.md'],
  )
  expect(readingOrder(pages).map(({ path }) => path)).toEqual([
    ...['README.md', 'use.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
    ...['docs/index.md', 'docs/2-next.md', 'docs/10-last.md', 'docs/zoo.md', 'docs/api/b.md', '.github/support.md'],
  ])
})

test.each([
  { of: ['CONTRIBUTING.md', 'README.md', 'docs/index.md'], opens: 'README.md' },
  { of: ['CHANGELOG.md', 'docs/a.md', 'docs/guide/introduction.md', 'docs/index.md'], opens: 'docs/index.md' },
  { of: ['docs/a/deep/README.md', 'docs/getting-started.md', 'docs/zoo.md'], opens: 'docs/getting-started.md' },
  { of: ['CODE_OF_CONDUCT.md', 'docs/1-intro.md', 'docs/0-before.md'], opens: 'docs/1-intro.md' },
  { of: ['CODE_OF_CONDUCT.md', 'manual.md'], opens: 'manual.md' },
  { of: ['.github/README.md', 'manual.md'], opens: 'manual.md' },
  { of: ['CHANGELOG.md'], opens: 'CHANGELOG.md' },
  { of: [], opens: undefined },
])('a library with the pages $of opens on $opens', ({ of, opens }) => {
  expect(overviewPage(pagesAt(...of))?.path).toBe(opens)
})
