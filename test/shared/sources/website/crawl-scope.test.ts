import { expect, test } from 'vitest'
import { crawlScope } from '../../../../shared/sources/website/crawl-scope.ts'

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
