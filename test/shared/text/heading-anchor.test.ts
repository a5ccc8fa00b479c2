import { expect, test } from 'vitest'
import { headingAnchor } from '../../../shared/text/heading-anchor.ts'

test.each([
  ['Getting started', 'getting-started'],
  ['`app.use()` — middleware!', 'app-use-middleware'],
  ['Überblick für हिन्दी', 'überblick-für-हिन्दी'],
  ['???', ''],
  ['C++ & C#', 'c-c'],
])('the anchor of the heading %s is %s', (heading, anchor) => {
  expect(headingAnchor(heading)).toBe(anchor)
})

test('the anchor of a heading of 10,000 characters is short', () => {
  expect(headingAnchor('word '.repeat(2_000)).length).toBeLessThanOrEqual(80)
})
