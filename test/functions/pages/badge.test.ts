import { DOMParser } from 'linkedom'
import { expect, test } from 'vitest'
import { libraryBadge } from '../../../functions/pages/badge.ts'

const badge = (title: string, totalSnippets = 1204) => libraryBadge({ title, totalSnippets })
const titleOf = (svg: string) => new DOMParser().parseFromString(svg, 'image/svg+xml').querySelector('title')?.textContent
const widthOf = (svg: string) => Number(/ width="(\d+)"/.exec(svg)?.[1])

test('a badge names the library and the number of its snippets', () => {
  expect(titleOf(badge('Hono'))).toBe('\u2068Hono\u2069 docs: 1,204 snippets')
})

test.each([
  ['XML', '<script>&"\']]>', '<script>&"\']]>'],
  ['emoji', '😀👩‍💻 kit', '😀👩‍💻 kit'],
  ['control characters', 'a\u0000\u0008\u001b[31mb\u202e', 'a[31mb'],
  ['a lone surrogate and a character that is none', 'a\ud800b\uffffc', 'abc'],
  ['lines', ' a\n\tb ', 'a b'],
])('a name with %s makes a readable badge', (_what, title, shown) => {
  const svg = badge(title)
  expect(titleOf(svg)).toBe(`\u2068${shown}\u2069 docs: 1,204 snippets`)
  expect(svg).not.toMatch(/<script|[\p{Cs}\p{Cc}\uFFFF]/u)
})

test('a long name is shortened between letters', () => {
  const svg = badge('😀'.repeat(300))
  expect(titleOf(svg)).toBe(`\u2068${'😀'.repeat(40)}…\u2069 docs: 1,204 snippets`)
  expect(widthOf(badge('W'.repeat(300)))).toBeLessThan(700)
})

test('a name that is written from right to left is isolated from the words after it, and its letters stay joined', () => {
  expect(titleOf(badge('ويدجت'))).toBe('\u2068ويدجت\u2069 docs: 1,204 snippets')
  expect(badge('ويدجت')).not.toContain('textLength')
  expect(badge('Widgets 2.0')).toContain('textLength')
})
