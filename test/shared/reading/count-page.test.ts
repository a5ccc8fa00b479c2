import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countPage } from '../../../shared/reading/count-page.ts'
import { analyse } from '../../../shared/search/words/analyse.ts'

const pages = ['cookies', 'headers'].map((name) => ({
  path: `docs/${name}.md`,
  title: `Read ${name}`,
  chunks: [
    { breadcrumb: [`Read ${name}`], prose: `The request holds ${name}.`, code: [{ code: `request.${name}.get('id')` }] },
    { breadcrumb: [`Read ${name}`, 'Limits'], prose: `A request with many ${name} is rejected.`, code: [] },
  ],
}))
const count = ({ path, title, chunks }: (typeof pages)[number]) => countPage(path, title, chunks)

test('a page has the same counts after another page', () => {
  const [first, second] = pages.map(count)
  expect([second, first]).toEqual(pages.toReversed().map(count))
})

test('a term counts once per chunk, twice its weight in the title of the page and half in code', () => {
  const { counts } = countPage('docs/cookies.md', 'Read cookies', pages[0]?.chunks ?? [])
  const terms = counts.terms.split(' ')
  const of = (term: string) => [counts.termChunks[terms.indexOf(term)], counts.weights[terms.indexOf(term)]]
  expect(of('cooki')).toEqual([2, 2 + 1 + 1 + 0.5 + 1])
  expect(of('limit')).toEqual([1, 1])
  expect(counts.lengths).toEqual([3, 0, 2, 11, 5, 8])
})

test('the terms of any text are those of its analysis', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom(...['a', 'Zq', '9', '_', '$', '.', '-', ':', '/', '#', ' ', '\n', 'é', 'ß', '漢字', '\u0301', '😀']))
      .map((each) => each.join('')),
  )
  fc.assert(
    fc.property(text, (code) => {
      const [chunk] = countPage('', '', [{ breadcrumb: [], prose: '', code: [{ code }] }]).chunks
      expect(chunk?.terms).toBe(analyse(code).join(' '))
    }),
    { numRuns: 500 },
  )
})
