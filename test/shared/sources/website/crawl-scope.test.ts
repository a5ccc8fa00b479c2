import { expect, test } from 'vitest'
import { baseAddress, crawlScope } from '../../../../shared/sources/website/crawl-scope.ts'

test.each([
  ['genindex.html', false],
  ['genindex-A.html', false],
  ['genindex/', false],
  ['py-modindex/', false],
  ['search.html', false],
  ['_sources/nests.rst.txt', false],
  ['_modules/birds/', false],
  ['search/', true],
  ['nests/genindexer/', true],
])('a site of Sphinx has %s among the pages of its documentation: %s', (path, isPage) => {
  expect(crawlScope(new URL('https://birds.example.com/en/'), []).includes(new URL(`https://birds.example.com/en/${path}`))).toBe(
    isPage,
  )
})

test.each([
  ['/docs/start', ['/docs/nests', '/blog/'], '/docs/'],
  ['/docs/start', ['nests', 'start'], '/docs/'],
  ['/docs/start', ['/docs/nests', '/docs/start/eggs'], '/docs/start/'],
  ['/docs/start', ['/docs/start/', '/docs/start#eggs', '/docs/'], '/docs/start/'],
  ['/docs/start/', ['/docs/nests'], '/docs/start/'],
  ['/docs/start', ['https://other.example.com/docs/nests'], '/docs/start/'],
  ['/start', ['/nests'], '/start/'],
  ['/docs/start.html', ['/docs/start/eggs'], '/docs/'],
])('a page %s with the links %j is in the folder %s', (path, links, folder) => {
  const page = new URL(path, 'https://birds.example.com')
  expect(baseAddress(page, page, links).pathname).toBe(folder)
})
