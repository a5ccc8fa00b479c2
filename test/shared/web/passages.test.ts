import { expect, test } from 'vitest'
import { headingAt, passagesOf } from '../../../shared/web/content/passages.ts'

const snippet = (...breadcrumb: string[]) => ({
  ...{ id: breadcrumb.join(), title: '', breadcrumb, content: '', kind: 'info' as const, url: '', tokens: 1 },
})
const headingsOf = (...breadcrumbs: string[][]) =>
  passagesOf(breadcrumbs.map((each) => snippet(...each))).flatMap(({ headings }) => headings)

test('each heading of a page is shown once, at its level, however many snippets are below it', () => {
  const headings = headingsOf(
    ['Guide'],
    ['Guide', 'Install'],
    ['Guide', 'Install'],
    ['Guide', 'Use', 'Fast'],
    ['Guide', 'Use', 'Slow'],
  )
  expect(headings.map(({ text, level }) => `${level} ${text}`)).toEqual(['1 Guide', '2 Install', '2 Use', '3 Fast', '3 Slow'])
})

test('repeated headings have different anchors, and say which heading they are below', () => {
  const headings = headingsOf(
    ['Api', 'get', 'Example'],
    ['Api', 'get', 'Example-1'],
    ['Api', 'put', 'Example'],
    ['Api', 'del', 'Example'],
  )
  expect(headings.filter(({ level }) => level === 3)).toEqual([
    { anchor: 'example', text: 'Example', level: 3, within: 'get' },
    { anchor: 'example-1', text: 'Example-1', level: 3 },
    { anchor: 'example-2', text: 'Example', level: 3, within: 'put' },
    { anchor: 'example-3', text: 'Example', level: 3, within: 'del' },
  ])
})

test('an anchor does not depend on the headings after it, and a heading without words has one', () => {
  const anchors = (...texts: string[]) => headingsOf(...texts.map((text) => ['T', text])).map(({ anchor }) => anchor)
  expect(anchors('One', '???', '!')).toEqual(['t', 'one', 'section', 'section-1'])
  expect(anchors('One', '???', '!', 'Two').slice(0, 4)).toEqual(anchors('One', '???', '!'))
})

test('the fragment of an address finds a heading by its anchor, or by its words', () => {
  const headings = headingsOf(['Guide', 'On Windows'], ['Guide', 'a-1'], ['Guide', 'a'])
  expect(headingAt(headings, 'on-windows')?.text).toBe('On Windows')
  expect(headingAt(headings, 'On Windows')?.text).toBe('On Windows')
  expect(headingAt(headings, 'missing')).toBeUndefined()
  expect(headingAt(headings, '')).toBeUndefined()
})

test('a heading of 10,000 characters is cut, and 20,000 equal headings take linear work', () => {
  expect(headingsOf(['x'.repeat(10_000)])[0]?.text.length).toBeLessThanOrEqual(300)
  const many = headingsOf(...Array.from({ length: 20_000 }, (_, i) => ['T', i % 2 ? 'a' : 'b']))
  expect(new Set(many.map(({ anchor }) => anchor)).size).toBe(20_001)
})
