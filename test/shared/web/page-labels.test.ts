import { expect, test } from 'vitest'
import { pageLabels } from '../../../shared/web/content/page-labels.ts'

const labelsOf = (titles: Record<string, string>) => {
  const pages = Object.entries(titles).map(([path, title]) => ({ path, title, snippets: 1, tokens: 1 }))
  const shown = [...pageLabels(pages)].map(([path, { title, more }]) => [path, more === undefined ? title : `${title} · ${more}`])
  return Object.fromEntries(shown)
}

test('pages with the same title are distinguished by their file, or by file and folder', () => {
  expect(
    labelsOf({ 'a.md': 'Api', 'b.md': 'Api', 'x/index.md': 'Overview', 'y/index.md': 'Overview', 'z.md': 'Use', 'q/w.md': '' }),
  ).toEqual({
    ...{
      'a.md': 'Api · a.md',
      'b.md': 'Api · b.md',
      'x/index.md': 'Overview · x/index.md',
      'y/index.md': 'Overview · y/index.md',
    },
    ...{ 'z.md': 'Use', 'q/w.md': 'w.md' },
  })
})
